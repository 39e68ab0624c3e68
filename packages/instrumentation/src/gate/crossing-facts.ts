import type { Attributes, HrTime, Link, Span, SpanContext, SpanKind, SpanStatus } from '@opentelemetry/api';
import type { CallShape, EditPolicy, EncodedValue, Exchange, StreamReader } from '@reenact/trace-model';
import type { BoundaryDefinition } from './boundary-definition.ts';
import type { FlagEvent } from './flag-event.ts';
import type { LiveOutcomeChunks } from './gate.ts';
import type { LiveOutcome } from './player.ts';

/** How a crossing was answered in a replay. */
export interface ReplayMark {
  readonly mode: 'stub' | 'live' | 'rerun' | 'refused';
  readonly replayId: string;
  /** The plan of the replay changed the outcome or the input on purpose. */
  readonly policy?: EditPolicy;
  /** This run is a fork of a recorded one, made at that crossing. */
  readonly forkOf?: { readonly traceId: string; readonly spanId: string };
  /** The recorded crossing that answered; absent where none did. */
  readonly source?: { readonly traceId: string; readonly spanId: string };
}

/**
 * Everything the gate knows about one crossing, independent of what the host's sampler and span limits did to its span.
 * Values are encoded already: nothing here changes when the host mutates what it passed.
 */
export interface CrossingFacts {
  readonly boundary: BoundaryDefinition;
  readonly spanContext: SpanContext;
  readonly parentSpanContext: SpanContext | undefined;
  readonly spanName: string;
  readonly spanKind: SpanKind;
  readonly startTime: HrTime;
  /** Equal to the start on a pending crossing; when its run ended on one that outlives it. */
  readonly endTime: HrTime;
  readonly duration: HrTime;
  readonly status: SpanStatus;
  readonly links: readonly Link[];
  /** Attributes that every exporter may see, uncut. */
  readonly slim: Attributes;
  /** Attributes that only the recording holds. */
  readonly content: Attributes;
  /** Span id of the nearest enclosing crossing. */
  readonly parentCrossing: string | undefined;
  readonly order: number;
  /** How many crossings had begun directly inside, in this process. */
  readonly begun: number;
  readonly settled: number | undefined;
  /** Nothing of the host ran between the one that settled before and this. */
  readonly isSettledWithPrevious?: true | undefined;
  /** How many rounds of promise reactions lay between call and end, where the event loop did not turn in between. */
  readonly settledMicrotasks?: number | undefined;
  /**
   * On a pending crossing that is recorded because its run ended before it: whether the agent had all that it had asked for of the answer, or
   * waited for more.
   */
  readonly outlivesRun?: 'satisfied' | 'waiting' | undefined;
  readonly call: CallShape;
  /** Absent where the capture level is none. */
  readonly input: EncodedValue | undefined;
  readonly outcome: RecordedOutcome;
  readonly exchanges: readonly Exchange[];
  readonly lossy: readonly string[];
  /** JSON pointers of what redaction replaced, below /input, /output, /error, /chunks or /exchanges. */
  readonly redacted: readonly string[];
  /** Id of the key that the tokens were made with; absent where nothing was redacted. */
  readonly redactionKey?: string | undefined;
  /** JSON pointers of what redaction could not look into, compressed bodies for one; it was left as it is. */
  readonly unread: readonly string[];
  /** JSON of what the code directly inside drew; absent where nothing was, or nobody kept it. */
  readonly draws: string | undefined;
  /** On the first root of a process: the same of what its code drew before, where no run of the process holds it. */
  readonly processDraws?: string | undefined;
  /** Evaluations of feature flags by the code directly inside. */
  readonly flags?: readonly FlagEvent[] | undefined;
  readonly replay: ReplayMark | undefined;
  /** The host's span of this crossing, which may have been sampled out or cut. */
  readonly span: Span | undefined;
}

/** How a crossing ended. Values are absent where they were not captured, and on a pending crossing. */
export interface RecordedOutcome {
  readonly type: LiveOutcome['type'] | 'pending';
  readonly value?: EncodedValue;
  readonly error?: EncodedValue;
  readonly chunks?: LiveOutcomeChunks;
  readonly reader?: StreamReader | undefined;
}

/** A crossing that has started, as a recorder sees it. */
export interface StartedCrossing {
  /** `<trace id>:<span id>`. */
  readonly spanKey: string;
  /** How many characters of answers the host has been given, attempts that have ended included; undefined where none has begun. */
  answeredCharacters(): number | undefined;
  /** The crossing as it stands while it goes on: pending, whatever of its answer has arrived. */
  factsSoFar(): CrossingFacts;
}

/** Takes what the gate saw. Each is synchronous, keeps no reference to live values, and its errors are caught. */
export interface Recorder {
  record(facts: CrossingFacts): void;
  /** A crossing has started; the code inside has not run yet. */
  started?(crossing: StartedCrossing): void;
  /** Adds attributes to a crossing that has ended, and gives it another status. False where it is no longer here to be changed. */
  amend?(crossing: SpanContext, attributes: Attributes, status?: SpanStatus): boolean;
  /** Hands on everything that waits. Resolves with how many spans still wait then, because they could not be delivered. */
  flush?(): Promise<number>;
  /** Code of a run starts a program, which leaves it to this one to deliver that it was started and how it ended. */
  startsCode?(): void;
}
