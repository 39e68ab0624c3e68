import type { LogsData } from '@reenact/otlp';
import { comparedRoot, diffRecordings } from '@reenact/recordings';
import { offPair, ReenactError, toReenactError } from '@reenact/trace-model';
import type { RunComparison } from '@reenact/trace-model/collector-api';
import type { StoredSpan } from '../../store/store.ts';
import type { ThreadReader } from '../../store/thread-reader.ts';
import { COMPARED_BYTES_MAX, COMPARED_SPANS_MAX, RUNS_NAMED_CHARACTERS_MAX } from '../limits.ts';
import { notFound } from '../resolve-trace.ts';
import { assembleWithFewLogs } from '../traces/assemble-trace.ts';
import type { ContentReferences } from '../traces/content-references.ts';
import { decodeLogs, decodeTrace } from '../traces/decode-trace.ts';
import type { ComparedRun, ComparisonAsk } from './comparison-calls.ts';
import { type ComparedSide, toComparison } from './to-comparison.ts';

/** What is needed of a reader of the store. */
export type RunReader = Pick<ThreadReader, 'readTrace' | 'listSpans' | 'readLogs'>;

/** A run that was read. */
type ReadRun = Omit<ComparedSide, 'rootSpanId'>;

const MEBIBYTE = 1024 * 1024;

/** Reads two runs of a tenant and compares them, on the thread that it is called on. */
export class RunComparer {
  private readonly reader: RunReader;
  private readonly references: ContentReferences;
  private readonly bytesMax: number;

  constructor(reader: RunReader, references: ContentReferences, memoryShare = 1) {
    this.reader = reader;
    this.references = references;
    this.bytesMax = COMPARED_BYTES_MAX * memoryShare;
  }

  /** Throws ReenactError `not-found`, `bad-request`, `too-large`, `cold-case`, or what reading the store throws. */
  async compare({ tenant, left, right, exact }: ComparisonAsk): Promise<RunComparison> {
    const first = this.read(tenant, left, this.bytesMax);
    const isOneTrace = left.traceId === right.traceId;
    const bytes = first.reduce((sum, span) => sum + span.bytes.length, 0);
    const second = isOneTrace ? first : this.read(tenant, right, this.bytesMax - bytes);
    const before = await this.assemble(tenant, left, first);
    const after = isOneTrace ? before : await this.assemble(tenant, right, second);
    const sides = [sideOf(before, left), sideOf(after, right)] as const;
    return toComparison(diffRecordings(...sides, { exact, exactIs: 'an exact comparison' }), sides);
  }

  private read(tenant: string, { traceId, named }: ComparedRun, bytesMax: number): readonly StoredSpan[] {
    const { spanCount } = this.reader.listSpans(tenant, traceId, 0);
    if (spanCount === 0) throw notFound(`There is no trace ${traceId}.`, named);
    if (spanCount > COMPARED_SPANS_MAX)
      throw tooLarge(`${named} has ${spanCount} spans, more than ${COMPARED_SPANS_MAX}`);
    const spans = this.reader.readTrace(tenant, traceId, bytesMax);
    if (spans !== undefined) return spans;
    throw tooLarge(`together they have more than ${Math.floor(this.bytesMax / MEBIBYTE)} MiB`);
  }

  private async assemble(
    tenant: string,
    { traceId, named }: ComparedRun,
    spans: readonly StoredSpan[],
  ): Promise<ReadRun> {
    const readLogs = async (): Promise<LogsData | undefined> => {
      const records = this.reader.readLogs(tenant, traceId, this.bytesMax);
      return records === undefined ? undefined : this.references.resolveLogs(decodeLogs(records));
    };
    const data = await this.references.resolveTraces(decodeTrace(spans));
    const { recording, replayability } = await assembleWithFewLogs(data, readLogs);
    if (recording !== undefined) return { recording, replayability: replayability.verdict };
    const [why] = replayability.missing;
    throw new ReenactError('cold-case', `The run ${named} cannot be compared. ${why?.detail ?? ''}`.trim(), {
      where: named,
      next: 'Its page says what it lacks: GET /api/v1/runs/{id}.',
    });
  }
}

/** Whoever asks over the API hears of a request that is wrong, not of a command line. */
function sideOf(run: ReadRun, { spanId, named }: ComparedRun): ComparedSide {
  try {
    return { ...run, rootSpanId: comparedRoot(run.recording, spanId, named) };
  } catch (thrown) {
    const { code, message, next = '' } = toReenactError(thrown);
    if (code !== 'bad-argument') throw thrown;
    const choices =
      next.length > RUNS_NAMED_CHARACTERS_MAX ? `${next.slice(0, offPair(next, RUNS_NAMED_CHARACTERS_MAX))}…` : next;
    throw new ReenactError('bad-request', `${named}: ${message}`, { where: named, next: choices });
  }
}

function tooLarge(why: string): ReenactError {
  return new ReenactError('too-large', `These runs are too large to be compared by the collector: ${why}.`, {
    next: 'Compare them on your own machine, with `reenact diff` and the same ids.',
  });
}
