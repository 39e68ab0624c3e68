import type { Attributes, Context } from '@opentelemetry/api';
import type { CallShape, Crossing, Exchange, ReenactError, StreamReader } from '@reenact/trace-model';
import type { CapturedCall } from '../source-line.ts';
import type { ClientAttempt } from '../wire/sent-request.ts';
import type { BoundaryDefinition, SemconvView } from './boundary-definition.ts';
import type { Delivery, LiveOutcome, Release } from './player.ts';

/** One call, as a wrapper or patched method hands it to the gate. */
export interface GateCall {
  readonly boundary: BoundaryDefinition;
  /** The whole input as the canonical policy reads it: the argument list of a function, the body of a model request. */
  readonly input: unknown;
  /**
   * Exact text of the input where the caller has it (a request body); it is kept byte for byte instead of `input`. Of an input that is no
   * text itself, as `JSON.stringify` writes it.
   */
  readonly inputText?: string;
  /** JSON pointers of what the caller has redacted in `input`, or in what it returns, already, in a form that nobody recognises: bytes. */
  readonly redacted?: readonly string[];
  readonly toolCallId?: string;
  /** The host's call of a function of ours that still stands on the stack; only in a replay, which asks for its line. */
  readonly calledFrom?: CapturedCall | undefined;
  /** Says that the caller runs the code with the `input` of its admission where there is one. */
  readonly takesInput?: true;
  /** Says that the caller hands its admission to `confirmed` before it sends anything to another process. */
  readonly asksToJoin?: true;
  /**
   * Says that the code is a client of ours that sends requests which are asked about one by one, and nothing else: `span.slim` names provider and
   * operation. Never said of a function of the host's.
   */
  readonly sendsRequests?: true;
  /** Says that it ends what was opened, and that the caller goes on without an answer where nothing is open. */
  readonly closes?: true;
  /** The shape of the call where it is known before the call; else tell it with `answersAs`. */
  readonly call?: CallShape;
  /** Name and kind of the span, and the attributes known at the start. */
  readonly span: SpanStart;
  /** When it began, where several crossings tell of the same event. Default: now. */
  readonly startUnixNano?: bigint;
  /** Looks at the input where the crossing is open and before anything of it runs, and adds what it finds. */
  readonly inspect?: () => SemconvView;
}

/** How the span of a crossing begins. */
export interface SpanStart extends SemconvView {
  readonly name: string;
  readonly kind: 'internal' | 'client' | 'server' | 'producer' | 'consumer';
}

/** A crossing that has started and not yet ended. Every method is safe to call late or twice, and never throws. */
export interface OpenCrossing {
  /** Run the boundary's code in this context: its span is active and nested crossings find their parent. */
  readonly context: Context;
  readonly spanId: string;
  readonly boundary: Pick<BoundaryDefinition, 'kind' | 'name' | 'capture'>;
  /** Whether there is a span, or somebody who keeps the values. What an answer is made of need not be watched where there is neither. */
  readonly isObserved: boolean;
  /** Adds to the semconv view. */
  describe(view: SemconvView): void;
  /** The shape of the call, as soon as it is seen. Without it: `exchange` where exchanges were kept, else a guess. */
  answersAs(call: CallShape): void;
  /** Told right before it settles: how many rounds of promise reactions lay between, where the event loop did not turn. */
  settlesAfter(microtasks: number | undefined): void;
  /** Hands over the growing list of chunks, and how to ask for its reader, so that a stream still open when the process exits is kept up to there. */
  streams(chunks: LiveOutcomeChunks, reader?: () => StreamReader | undefined): void;
  /**
   * Replaces the input, where the whole of it became known only after the call began: a body that was streamed out. `redacted`:
   * as in a `GateCall`.
   */
  completeInput(input: unknown, redacted?: readonly string[]): void;
  /** Says that there is more of the input than is known yet, and that `completeInput` will tell it; the crossing is lossy until then. */
  awaitsInput(): void;
  /** Notes what cannot be replayed exactly, `<JSON pointer below /input, /output, /error or /exchanges> <reason>`. */
  markLossy(mark: string): void;
  /** Keeps one wire exchange; called when the exchange has ended. */
  addExchange(exchange: Exchange): void;
  /**
   * Tells how to see an exchange that is under way, so that one which is still open when the process exits is kept up to there. `viewOf`: what it says of
   * the call then. `onceReadOn`: how to hear, once, that the host waits for more of an answer after it had all that it had asked for.
   */
  exchanging(
    current: () => Exchange | undefined,
    viewOf?: (exchange: Exchange) => SemconvView,
    onceReadOn?: (told: () => void) => void,
  ): void;
  /**
   * Says that an answer which `exchanging` tells of has begun to come. Where the run of the crossing is over by then, and nobody begins to read it,
   * it is recorded as it is.
   */
  answered(): void;
  /** Microseconds since the crossing started, from a clock that never runs backwards. */
  elapsedUs(): number;
  /** Encodes the outcome now, before the caller can mutate it, and ends the span. The first call counts. */
  settle(outcome: RawOutcome): void;
  /** Ends a crossing whose end nobody can see any more: pending, or aborted where chunks were streamed. */
  abandon(): void;
}

/** How a call ended, as the wrapper saw it. */
export type RawOutcome =
  | {
      readonly type: 'returned';
      readonly value: unknown;
      /** As in a `GateCall`. */
      readonly redacted?: readonly string[];
      /** Which of its parameters, counted from 0, the value is. */
      readonly argument?: number | undefined;
    }
  | {
      readonly type: 'threw';
      readonly error: unknown;
      /** The library makes it of the recorded exchanges, in a replay, too: nothing is lost where it cannot be encoded whole. */
      readonly isMadeAgain?: boolean;
    }
  | {
      readonly type: 'ended' | 'failed' | 'aborted';
      readonly chunks: LiveOutcomeChunks;
      readonly value?: unknown;
      readonly error?: unknown;
      /** As where it threw. */
      readonly isMadeAgain?: boolean;
      /** Where it was left. */
      readonly reader?: StreamReader | undefined;
    };

/** Chunks encoded as they passed by. */
export type LiveOutcomeChunks = Extract<LiveOutcome, { chunks: unknown }>['chunks'];

/** What the gate says to one call: the only place where recording, replay and pass-through part. */
export type Admission =
  /** Call through; nobody is watching. In a replay inside of `inside.context`, and tell where it has ended. */
  | { readonly type: 'pass'; readonly inside?: { readonly context: Context; ended(): void } }
  /** Call through inside `crossing.context` and settle; with the input given here, where there is one. */
  | {
      readonly type: 'run';
      readonly crossing: OpenCrossing;
      readonly edited?: { readonly input: unknown };
      /** In a replay: its caller was recorded to go away before it was answered, so many milliseconds after it began. */
      readonly leftAfterMs?: number;
      /** In a replay whose time is the recorded one: the crossing that entered the recorded run, where this call enters it again. */
      readonly entered?: Crossing;
      /** Call through only where what answers takes part in the replay; else follow this. `confirmed` sees to it. */
      unjoined?(address: string): Exclude<Admission, { type: 'run' }>;
    }
  /** Do not call: answer from `recorded`, then settle with what was served. */
  | {
      readonly type: 'stub';
      readonly crossing: OpenCrossing;
      readonly recorded: Crossing;
      readonly release: Release;
      /** What reached the host's handlers meanwhile, and is to reach them again, inside `crossing.context`. */
      readonly deliveries: readonly Delivery[];
      exhausted(detail: string): ReenactError;
      /**
       * To be told of each attempt of a client before it is answered from a recorded exchange, so that what it asks for beside
       * the input is compared. Gives the error to fail the whole call with, where there is one. Never throws.
       */
      sends(attempt: ClientAttempt): ReenactError | undefined;
    }
  /** Throw the error at the call; or, `leftOut`, go on as if a call that `closes` had been made. */
  | { readonly type: 'refuse'; readonly error: ReenactError; readonly leftOut?: true };

/** Attributes whose values are undefined are left out, so that call sites can list them plainly. */
export type SparseAttributes = { readonly [Key in keyof Attributes]: Attributes[Key] | undefined };
