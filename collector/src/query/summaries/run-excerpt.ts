import { answeredText, askedText, PROCESS_RUN_NAME } from '@reenact/trace-model';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import { EXCERPT_CHARACTERS_MAX, PREVIEW_CHARACTERS_READ } from '../limits.ts';
import type { ReadCrossing } from '../traces/read-span.ts';
import { beginningOf } from './beginning-of.ts';

/** What a list says of what a run was about. */
export type RunExcerpt = Pick<RunSummary, 'asked' | 'answered'>;

type Tell = (crossing: ReadCrossing, charactersMax: number) => string | undefined;

/** The beginning of a text that a crossing tells, read once: while it is not, the crossing is held. Undefined where it tells none, or its payload is not what it says. */
class Beginning {
  private untold: { readonly tell: Tell; readonly crossing: ReadCrossing } | undefined;
  private told: string | undefined;

  constructor(tell: Tell, crossing: ReadCrossing) {
    this.untold = { tell, crossing };
  }

  get text(): string | undefined {
    const { untold } = this;
    this.untold = undefined;
    if (untold === undefined) return this.told;
    try {
      const text = untold.tell(untold.crossing, PREVIEW_CHARACTERS_READ)?.trim();
      this.told = text === undefined ? undefined : beginningOf(text, EXCERPT_CHARACTERS_MAX);
    } catch {
      this.told = undefined;
    }
    return this.told;
  }
}

interface Told {
  readonly crossing: Pick<ReadCrossing, 'spanId' | 'startTimeUnixNano' | 'endTimeUnixNano'>;
  readonly asked?: Beginning;
  readonly answered?: Beginning;
}

/** Finds what a run was asked and what came of it (docs/adr/0062). */
export class ExcerptCollector {
  private agent: Told | undefined;
  private first: Told | undefined;
  private last: Told | undefined;

  add(crossing: ReadCrossing): void {
    if (crossing.kind === 'model') this.addModel(crossing);
    else if (crossing.kind === 'agent') this.addAgent(crossing);
  }

  /** Reads what is still to be read, and holds on to none of the crossings that were added. */
  letGo(): void {
    for (const told of [this.agent, this.first, this.last]) void [told?.asked?.text, told?.answered?.text];
  }

  /** Of the run with this root: what the agent itself tells comes before what its models do. */
  of(rootSpanId: string): RunExcerpt {
    const root = this.agent?.crossing.spanId === rootSpanId ? this.agent : undefined;
    return {
      ...known('asked', root?.asked?.text ?? this.first?.asked?.text),
      ...known('answered', root?.answered?.text ?? this.last?.answered?.text),
    };
  }

  /** The root is the first that began. What a process was given is told by its models alone. */
  private addAgent(crossing: ReadCrossing): void {
    if (crossing.name === PROCESS_RUN_NAME) return;
    if (this.agent !== undefined && this.agent.crossing.startTimeUnixNano <= crossing.startTimeUnixNano) return;
    this.agent = {
      crossing: timesOf(crossing),
      asked: new Beginning(askedText, crossing),
      answered: new Beginning(answeredText, crossing),
    };
  }

  private addModel(crossing: ReadCrossing): void {
    const { startTimeUnixNano, endTimeUnixNano } = crossing;
    if (this.first === undefined || startTimeUnixNano < this.first.crossing.startTimeUnixNano)
      this.first = { crossing: timesOf(crossing), asked: new Beginning(askedText, crossing) };
    if (this.last === undefined || endTimeUnixNano > this.last.crossing.endTimeUnixNano)
      this.last = { crossing: timesOf(crossing), answered: new Beginning(answeredText, crossing) };
  }
}

function timesOf({ spanId, startTimeUnixNano, endTimeUnixNano }: ReadCrossing): Told['crossing'] {
  return { spanId, startTimeUnixNano, endTimeUnixNano };
}

function known(key: keyof RunExcerpt, text: string | undefined): RunExcerpt {
  return text === undefined ? {} : { [key]: text };
}
