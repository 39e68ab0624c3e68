import type { PlainValue } from '@reenact/otlp';
import type { Payload } from '../payloads/payload.ts';
import type { BoundaryKind, CallShape, CaptureLevel, Effect } from './boundary.ts';
import type { RecordedDraws } from './draws.ts';
import type { Exchange } from './exchange.ts';

/** One chunk of a streamed outcome: microseconds since the crossing started, and the chunk's value. */
export interface StreamChunk {
  readonly offsetUs: number;
  /** How many rounds of promise reactions lay between its reader's asking and this, where the event loop did not turn in between. */
  readonly microtasks?: number;
  readonly value: Payload;
}

/** How the reader of a stream stood to it where it left it before its end: it had all that it had asked for, or waited for more. */
export type StreamReader = 'satisfied' | 'waiting';

/** How a crossing ended (DESIGN section 2, "outcome"). A payload is absent where it was not captured. */
export type Outcome =
  | { readonly type: 'returned'; readonly value?: Payload }
  | { readonly type: 'threw'; readonly error?: Payload }
  | { readonly type: 'ended'; readonly chunks: readonly StreamChunk[]; readonly value?: Payload }
  | { readonly type: 'failed'; readonly chunks: readonly StreamChunk[]; readonly error?: Payload }
  | { readonly type: 'aborted'; readonly chunks: readonly StreamChunk[]; readonly reader?: StreamReader }
  | PendingOutcome;

/** A crossing that had not ended when its process stopped, as far as the recording knows. */
export interface PendingOutcome {
  readonly type: 'pending';
  /** Of a stream of values: what was known to have come of it; its reader may have had more. */
  readonly chunks?: readonly StreamChunk[];
  /** It had ended, and what it came to was not on the disk yet when its process ended. */
  readonly unwritten?: { readonly what: 'result' | 'error'; readonly digest: string };
}

/** One call of a boundary, read back from its span. */
export interface Crossing {
  readonly traceId: string;
  readonly spanId: string;
  /** Span id of the nearest enclosing crossing; absent on a root. */
  readonly parentSpanId?: string;
  readonly kind: BoundaryKind;
  readonly name: string;
  /** From the root: `agent:trader/tool:get_quote#2`; `#n` counts siblings of one kind and name from 1 and is left out for 1. */
  readonly path: string;
  /** Start order among the crossings with the same parent. */
  readonly order: number;
  /** Completion order in its process and run; absent while pending. */
  readonly settled?: number;
  /** No code of the host ran between the one that settled before, in its process and run, and this. */
  readonly isSettledWithPrevious?: true;
  /**
   * How many rounds of promise reactions lay between call and end, where the event loop did not turn in between; of a stream between its reader's
   * asking and its end.
   */
  readonly settledMicrotasks?: number;
  /** When a promise gave the stream: microseconds since the call, and the rounds of promise reactions where the event loop did not turn. */
  readonly streamGiven?: { readonly offsetUs: number; readonly microtasks?: number };
  /** When its reader closed a stream before its end, by `return` or `throw`: microseconds since the call. The crossing ended when that was done. */
  readonly closedUs?: number;
  /**
   * Its run ended before it did, and this is what was known of it then: the agent had all that it had asked for of the answer (it counts as
   * returned), or waited for more (it is pending). Absent once its end is recorded.
   */
  readonly outlivesRun?: 'satisfied' | 'waiting';
  /** Which of its parameters, counted from 0, the call gave as its result, that very object and as it had got it. */
  readonly resultArgument?: number;
  /** Number of the process that it was called in (`process.pid`); absent where its resource does not say it. */
  readonly processId?: number;
  /** Number of the process that had started that one (`process.ppid`); absent likewise. */
  readonly parentProcessId?: number;
  readonly call: CallShape;
  readonly effect: Effect;
  readonly capture: CaptureLevel;
  readonly canonicalPolicy: string;
  readonly key?: string;
  readonly toolCallId?: string;
  readonly input?: Payload;
  readonly outcome: Outcome;
  readonly exchanges: readonly Exchange[];
  readonly startTimeUnixNano: bigint;
  readonly endTimeUnixNano: bigint;
  /** What code directly inside drew from clock and random sources; on the root also empty where draws were recorded. */
  readonly draws?: RecordedDraws;
  /** On the first root of a process: what its code had drawn before, where no run of the process holds it. */
  readonly processDraws?: RecordedDraws;
  /** What could not be recorded exactly, each `<JSON pointer> <reason>`. */
  readonly lossy: readonly string[];
  /** JSON pointers of what redaction replaced. */
  readonly redacted: readonly string[];
  /** Client library that must read the exchanges, `openai@7.57.0`. */
  readonly sdk?: string;
  /** Dialect the span was read with. */
  readonly dialect: string;
  /** The span's attributes, the semconv view, as plain values. */
  readonly attributes: ReadonlyMap<string, PlainValue>;
  /** Input and outcome were rebuilt from the semconv view, so they are not exact: only `reenact serve` answers with them. */
  readonly reconstructed?: true;
  /** What was found damaged while reading, for example a digest that does not match. */
  readonly damage: readonly string[];
}

/** What a crossing says by itself, wherever in its trace it stands. */
export type ShownCrossing = Omit<Crossing, 'path' | 'order' | 'parentSpanId'>;

/** `kind:name`, as selectors and reports write it. */
export function crossingLabel(crossing: Pick<Crossing, 'kind' | 'name'>): string {
  return `${crossing.kind}:${crossing.name}`;
}
