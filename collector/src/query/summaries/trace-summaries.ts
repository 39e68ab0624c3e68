import type { LogsData } from '@reenact/otlp';
import { type ReenactError, toReenactError } from '@reenact/trace-model';
import type { ComparedSpan, SpanReference, StoredSpan, SummarisedRun, TraceName } from '../../store/store.ts';
import { mayStayUnread } from '../../store/store-error.ts';
import type { ThreadReader } from '../../store/thread-reader.ts';
import {
  SUMMARY_BATCH_BYTES,
  SUMMARY_LOG_BYTES_MAX,
  SUMMARY_PIECE_BYTES,
  SUMMARY_PIECE_SPANS,
  SUMMARY_READ_FAILURES_MAX,
  SUMMARY_SPAN_BYTES_MAX,
  SUMMARY_SPANS_MAX,
  SUMMARY_WHOLE_BYTES_MAX,
} from '../limits.ts';
import { assembleWithFewLogs } from '../traces/assemble-trace.ts';
import type { ContentReferences } from '../traces/content-references.ts';
import { decodeLogs, decodeTrace } from '../traces/decode-trace.ts';
import { summariseRun, unreadableRun } from './run-summary.ts';
import { summariseInPieces } from './summarise-in-pieces.ts';
import type { MadeSummary, SummaryCalls } from './summary-calls.ts';

type Ask = SummaryCalls['summarise']['ask'];

/** What is needed of a reader of the store. */
export type TraceReader = Pick<ThreadReader, 'readTrace' | 'listSpans' | 'readSpans' | 'readLogs' | 'spanIds' | 'trim'>;

/** What is to be known of the content of one run that lies elsewhere. */
class Content {
  /** Whether some of it could not be had, and may be later. */
  isPassing = false;
  readonly onPassing = (): void => {
    this.isPassing = true;
  };
}

/** Makes summaries of traces that it reads. */
export class TraceSummaries {
  private readonly reader: TraceReader;
  private readonly references: ContentReferences;
  private readonly memoryShare: number;
  /** The last run that is read in pieces, which never rejects: the next one waits for its end, and has nothing to do with how it ends. */
  private largeOne: Promise<unknown> = Promise.resolve();
  /** How often traces could not be read, for which their place on the disk may be the reason. */
  private readonly failures = new Map<string, number>();

  constructor(reader: TraceReader, references: ContentReferences, memoryShare = 1) {
    this.reader = reader;
    this.references = references;
    this.memoryShare = memoryShare;
  }

  /** Reads traces up to a number of bytes, at least one of them, and summarises those. A larger one is read in pieces, and alone. */
  async summarise({ traces, keepsText }: Ask): Promise<MadeSummary[]> {
    const made: Promise<MadeSummary>[] = [];
    let bytesRead = 0;
    for (const name of traces) {
      try {
        const spans = this.reader.readTrace(...name, SUMMARY_WHOLE_BYTES_MAX * this.memoryShare);
        if (spans === undefined) {
          if (made.length === 0) made.push(this.unlessUnreadable(name, this.summariseLarge(name, keepsText)));
          break;
        }
        const bytes = spans.reduce((sum, span) => sum + span.bytes.length, 0);
        const summary =
          spans.length === 0 ? Promise.resolve({ run: null, bytes }) : this.summariseWhole(name, spans, keepsText);
        made.push(this.unlessUnreadable(name, summary));
        bytesRead += bytes;
      } catch (thrown) {
        made.push(this.unlessUnreadable(name, Promise.reject(thrown)));
      }
      if (bytesRead >= SUMMARY_BATCH_BYTES * this.memoryShare) break;
    }
    return Promise.all(made);
  }

  /** The log records of a trace; undefined where they are too many. */
  private async readLogs([tenant, traceId]: TraceName, content: Content): Promise<LogsData | undefined> {
    const records = this.reader.readLogs(tenant, traceId, SUMMARY_LOG_BYTES_MAX * this.memoryShare);
    return records === undefined ? undefined : this.references.resolveLogs(decodeLogs(records), content.onPassing);
  }

  private async summariseWhole(
    name: TraceName,
    spans: readonly ComparedSpan[],
    keepsText: boolean,
  ): Promise<MadeSummary> {
    const conflictingSpans = spans.filter(({ isConflicting }) => isConflicting).length;
    const bytes = spans.reduce((sum, span) => sum + span.bytes.length, 0);
    const content = new Content();
    const data = await this.references.resolveTraces(decodeTrace(spans), content.onPassing);
    const assembled = await assembleWithFewLogs(data, () => this.readLogs(name, content));
    const run = summariseRun(assembled, { conflictingSpans, keepsText });
    return { run, bytes, mayBeCompleted: content.isPassing };
  }

  private async summariseLarge(name: TraceName, keepsText: boolean): Promise<MadeSummary> {
    const { reader, memoryShare } = this;
    const found = reader.listSpans(...name, SUMMARY_SPANS_MAX * memoryShare);
    if (found.spanCount === 0) return { run: null, bytes: 0 };
    let bytes = 0;
    const content = new Content();
    const readPiece = (left: readonly SpanReference[]): readonly StoredSpan[] => {
      reader.trim();
      const spans = reader.readSpans(left.slice(0, SUMMARY_PIECE_SPANS), SUMMARY_PIECE_BYTES * memoryShare);
      bytes += spans.reduce((sum, span) => sum + span.bytes.length, 0);
      return spans;
    };
    // One at a time: what is known of each is held until it is through.
    const turn = this.largeOne.then(() =>
      summariseInPieces({
        ...found,
        spanBytesMax: SUMMARY_SPAN_BYTES_MAX * memoryShare,
        keepsText,
        readPiece,
        decode: (spans) => this.references.resolveTraces(decodeTrace(spans), content.onPassing),
        readLogs: () => this.readLogs(name, content),
      }),
    );
    this.largeOne = turn.catch(() => undefined);
    return { run: await turn, bytes, mayBeCompleted: content.isPassing };
  }

  /** A trace that cannot be read or decoded must not hide the others from a list, so it is listed as damaged. */
  private async unlessUnreadable(name: TraceName, making: Promise<MadeSummary>): Promise<MadeSummary> {
    try {
      const made = await making;
      this.failures.delete(name.join(' '));
      return made;
    } catch (thrown) {
      const error = toReenactError(thrown);
      // It was deleted while it was read.
      if (error.code === 'not-found') {
        this.failures.delete(name.join(' '));
        return { run: null, bytes: 0 };
      }
      if (this.mayPass(name, error)) throw thrown;
      return { run: this.unreadable(name, error), bytes: 0 };
    }
  }

  /** Whether it may be read at another time, as where too many files are open, unlike what is damaged. */
  private mayPass(name: TraceName, error: ReenactError): boolean {
    if (error.code !== 'store-failed' || !error.retryable) return false;
    if (!mayStayUnread(error)) return true;
    const key = name.join(' ');
    const failures = (this.failures.get(key) ?? 0) + 1;
    this.failures.set(key, failures);
    return failures < SUMMARY_READ_FAILURES_MAX;
  }

  private unreadable([tenant, traceId]: TraceName, error: ReenactError): SummarisedRun | null {
    let spans: readonly string[];
    try {
      spans = this.reader.spanIds(tenant, traceId);
    } catch {
      // Where the index itself is damaged nobody can say how many there are.
      return unreadableRun(traceId, '', 0, error);
    }
    return spans.length === 0 ? null : unreadableRun(traceId, spans[0] ?? '', spans.length, error);
  }
}
