import { answeredText, askedText, PROCESS_RUN_NAME } from '@reenact/trace-model';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import { EXCERPT_CHARACTERS_MAX, PREVIEW_CHARACTERS_READ } from '../limits.ts';
import type { ReadCrossing } from '../traces/read-span.ts';
import { beginningOf } from './beginning-of.ts';

/** What a list says of what a run was about. */
export type RunExcerpt = Pick<RunSummary, 'asked' | 'answered'>;

/** The beginning of a text that a crossing tells; undefined where it tells none, or its payload is not what it says. */
function excerpt(
  tell: (crossing: ReadCrossing, charactersMax: number) => string | undefined,
  crossing: ReadCrossing,
): string | undefined {
  try {
    const text = tell(crossing, PREVIEW_CHARACTERS_READ)?.trim();
    return text === undefined ? undefined : beginningOf(text, EXCERPT_CHARACTERS_MAX);
  } catch {
    return undefined;
  }
}

/** Finds what a run was asked and what came of it, and holds on to nothing of its crossings but that. */
export class ExcerptCollector {
  private agent: (RunExcerpt & Pick<ReadCrossing, 'spanId' | 'startTimeUnixNano'>) | undefined;
  private first: { readonly startNs: bigint; readonly asked: string | undefined } | undefined;
  private last: { readonly endNs: bigint; readonly answered: string | undefined } | undefined;

  add(crossing: ReadCrossing): void {
    if (crossing.kind === 'model') this.addModel(crossing);
    else if (crossing.kind === 'agent') this.addAgent(crossing);
  }

  /** Of the run with this root: what the agent itself tells comes before what its models do. */
  of(rootSpanId: string): RunExcerpt {
    const root = this.agent?.spanId === rootSpanId ? this.agent : undefined;
    return {
      ...known('asked', root?.asked ?? this.first?.asked),
      ...known('answered', root?.answered ?? this.last?.answered),
    };
  }

  /** The root is the first that began. What a process was given is told by its models alone. */
  private addAgent(crossing: ReadCrossing): void {
    const { spanId, startTimeUnixNano, name } = crossing;
    if (name === PROCESS_RUN_NAME) return;
    if (this.agent !== undefined && this.agent.startTimeUnixNano <= startTimeUnixNano) return;
    const asked = excerpt(askedText, crossing);
    const answered = excerpt(answeredText, crossing);
    this.agent = { spanId, startTimeUnixNano, ...known('asked', asked), ...known('answered', answered) };
  }

  private addModel(crossing: ReadCrossing): void {
    const { startTimeUnixNano: startNs, endTimeUnixNano: endNs } = crossing;
    if (this.first === undefined || startNs < this.first.startNs)
      this.first = { startNs, asked: excerpt(askedText, crossing) };
    if (this.last === undefined || endNs > this.last.endNs)
      this.last = { endNs, answered: excerpt(answeredText, crossing) };
  }
}

function known(key: keyof RunExcerpt, text: string | undefined): RunExcerpt {
  return text === undefined ? {} : { [key]: text };
}
