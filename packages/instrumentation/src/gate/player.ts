import type { Attributes } from '@opentelemetry/api';
import type {
  CallShape,
  Crossing,
  EditPolicy,
  EncodedValue,
  Exchange,
  ReenactError,
  SourceLine,
  StreamReader,
} from '@reenact/trace-model';
import type { SentRequest } from '../wire/sent-request.ts';
import type { BoundaryDefinition } from './boundary-definition.ts';

/**
 * Where in a recording a replay stands: the recorded span under which the next crossing is looked up. It travels in the
 * OpenTelemetry context (position.ts).
 */
export interface Position {
  readonly player: Player;
  /** Recorded span id; undefined stands above the root, where a run is entered. */
  readonly cursor: string | undefined;
  /** The nearest crossing was asked to run for real, so that what its code does to the world is wanted. */
  readonly isLive?: boolean;
}

/** Ids of its own spans that code of a replay can read, where the recorded code read others. */
export interface LiveSpanIds {
  readonly traceId: string;
  /** That of the crossing whose code it is; undefined outside of all. */
  readonly spanId: string | undefined;
}

/** One live call that reached the gate inside a replay. */
export interface Arrival {
  readonly boundary: BoundaryDefinition;
  readonly input: EncodedValue;
  readonly toolCallId: string | undefined;
  /** Whether the caller can run the boundary's code with another input than this one. */
  readonly takesInput?: boolean;
  /** Whether the caller asks another process that it would send to whether it takes part, before it sends anything. */
  readonly asksToJoin?: boolean;
  /** Whether it only ends what was opened, and may be left out where nothing is. */
  readonly closes?: boolean;
  /** Of a client of ours that sends its requests by itself: what it says of provider and operation. Never of a function of the host's. */
  readonly sends?: Attributes;
  /** Undefined where the OpenTelemetry context was lost between the agent and this call. */
  readonly position: Position | undefined;
  /** The user's line that made the call. */
  readonly source: SourceLine | undefined;
  /** What the caller can read; absent outside of all traces. */
  readonly spanIds?: LiveSpanIds | undefined;
}

/** A call that has begun, and of which not all is known yet. */
export interface BegunCall {
  readonly boundary: Pick<BoundaryDefinition, 'kind' | 'name'>;
  readonly position: Position | undefined;
}

/** How a live crossing ended, values already encoded. Chunk offsets count from the crossing's start. */
export type LiveOutcome =
  | { readonly type: 'returned'; readonly value: EncodedValue }
  | { readonly type: 'threw'; readonly error: EncodedValue }
  | {
      readonly type: 'ended' | 'failed' | 'aborted';
      readonly chunks: readonly {
        readonly offsetUs: number;
        /** As in a `StreamChunk`. */
        readonly microtasks?: number | undefined;
        readonly value: EncodedValue;
      }[];
      readonly value?: EncodedValue;
      readonly error?: EncodedValue;
      /** Where it was left. */
      readonly reader?: StreamReader;
    };

/**
 * Decides when a recorded outcome is handed to the agent, so that completions come in recorded order whatever the
 * machine's speed (DESIGN section 6, "time").
 */
export interface Release {
  /**
   * Resolves when everything recorded to have happened up to this many microseconds after the crossing's start has. `microtasks`: as many rounds of
   * promise reactions from now, where it was recorded to come before the event loop turned. Gives how many there were; undefined where it has turned:
   * what comes before may still have to be given.
   */
  at(offsetUs: number, microtasks?: number): Promise<number | undefined>;
  /**
   * Resolves when it is this crossing's turn to settle. Called once per stub when its outcome is about to be handed over;
   * a synchronous stub calls it and does not wait. Gives what `at` does.
   */
  settle(): Promise<number | undefined>;
}

/** What was recorded to reach the agent's own handlers while a crossing was under way (docs/adr/0038). */
export interface Delivery {
  readonly recorded: Crossing;
  /** Since the start of the crossing around it: what to ask its release for. */
  readonly offsetUs: number;
  /** Resolves when it is due and the agent is not on its way to something recorded before: for what came after that crossing had ended. */
  readonly due: () => Promise<void>;
  /** Whether the crossing around it ended only after whatever handled this had. */
  readonly isWaitedFor: boolean;
  /** Whether it came when the crossing around it had ended. */
  readonly isBehind: boolean;
}

/** What the replay says to one arrival. */
export type Answer =
  | {
      /** Serve the recorded outcome; the boundary's code does not run. */
      readonly type: 'stub';
      readonly recorded: Crossing;
      /** The outcome was changed on purpose. */
      readonly policy?: EditPolicy;
      readonly release: Release;
      /** In the order in which they came; absent where nothing did. Each is to be made, as a call at `position`, when its time has come. */
      readonly deliveries?: readonly Delivery[];
      /** Position for the client library's own code where that runs over recorded exchanges. */
      readonly position: Position;
      /** The process is stopped at this call: nothing of it is recorded in its turn. */
      readonly keepsNoRecording?: true;
      /** Tells that more was asked of the crossing than was recorded, and gives the error to fail it with. */
      exhausted(detail: string): ReenactError;
      /**
       * Told of each attempt that a client makes over the recorded exchanges, before it is answered. What differs is in the report
       * then; gives the error to fail the whole call with where the plan wants no answer for it.
       */
      sends?(request: SentRequest): ReenactError | undefined;
      /** Told once that the crossing has ended: the agent has its outcome, or wants no more of it. */
      over?(): void;
    }
  | {
      /** Run the boundary's code; what nests inside is looked up at `position`. */
      readonly type: 'run';
      readonly mode: 'live' | 'rerun';
      readonly recorded: Crossing | undefined;
      /** The input was changed on purpose, or the replay goes live from here on. */
      readonly policy?: EditPolicy;
      /** This run is a fork of a recorded one, made at that crossing. */
      readonly forkOf?: { readonly traceId: string; readonly spanId: string };
      /**
       * Gives the input to run the code with, from the one it was called with; only where the arrival takes one. Throws
       * ReenactError where it cannot be made.
       */
      readonly editInput?: (input: unknown) => unknown;
      readonly position: Position;
      /**
       * The caller was recorded to go away so many milliseconds after the start, before it was answered. Only where timers of the run
       * fire in recorded order.
       */
      readonly leftAfterMs?: number;
      /** `recorded` again, where this call enters the run and time is the recorded one. */
      readonly entered?: Crossing;
      /**
       * What is sent must reach a process that takes part in the replay. Gives what to answer with instead where the one at
       * `address` does not: nothing is sent then, and the report says so. Only where the arrival asks; called at most once, before
       * `settled`.
       */
      unjoined?(address: string): Exclude<Answer, { type: 'run' | 'pass' }>;
      /** Called once, when the crossing has ended; `exchanges` are what it sent and received on the wire, `spanIds` what its code could read. */
      settled(outcome: LiveOutcome, exchanges: readonly Exchange[], spanIds?: LiveSpanIds): void;
    }
  | {
      /** Nothing runs: the error is thrown at the call, above any retry loop. It is in the report already. */
      readonly type: 'refuse';
      readonly error: ReenactError;
      /** The caller goes on instead, as if it had been made; only of an arrival that `closes`. */
      readonly leftOut?: true;
    }
  | {
      /** It is no crossing here: its code runs at `position`, and each request that it sends is asked about itself. Only of an arrival that `sends`. */
      readonly type: 'pass';
      readonly position: Position;
      /** Called once, when its code has ended. */
      ended(): void;
    };

/**
 * The replay's side of the gate. `@reenact/replay` implements it; instrumentations never see it. All methods are
 * synchronous and never throw.
 */
export interface Player {
  readonly replayId: string;
  /** Dedicated: an arrival without a position is looked up under the run's root, else refused; never live. */
  readonly dedicated: boolean;
  answer(arrival: Arrival): Answer;
  /**
   * Told that a call has begun which `answer` is asked about once all of it is known, as an upload is when it has been read. Gives where what is done
   * for that stands; undefined: where the call is made.
   */
  begun?(call: BegunCall): Position | undefined;
  /**
   * A signed token for a position, to travel to another process that takes part in the replay; undefined where positions
   * do not leave this one.
   */
  positionToken?(position: Position): string | undefined;
  /** The same for the environment of a child process, where it counts for longer. */
  processToken?(position: Position): string | undefined;
  /** The position a token stands for; undefined for one that is forged, expired, damaged or of another replay. */
  positionOfToken?(token: string): Position | undefined;
  /** Told of the evaluation of a feature flag, as the attributes it is recorded with. */
  flagEvaluated?(position: Position | undefined, attributes: Attributes): void;
  /** Nothing of this replay is recorded in its turn: the process records its ordinary traffic meanwhile. */
  readonly keepsNoRecording?: boolean;
  /** What a process that takes part says when it is asked about a token; undefined where it cannot answer for the replay. */
  joinProof?(token: string): string | undefined;
  /** Whether another process has proven that it takes part. */
  isJoinProof?(token: string, proof: string): boolean;
  /**
   * Resolves when this player can answer; undefined where it can at once. Until then it refuses. Never rejects: a replay that
   * cannot be joined goes on to refuse.
   */
  ready?(): Promise<void> | undefined;
  /** The shape a stub of this crossing answers in. */
  readonly callShapeOf: (recorded: Crossing) => CallShape;
}
