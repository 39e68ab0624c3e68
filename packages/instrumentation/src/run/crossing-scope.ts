import { type Context, createContextKey, type SpanContext } from '@opentelemetry/api';
import type { FlagEvent } from '../gate/flag-event.ts';
import { forgetOldest } from '../host/forget-oldest.ts';
import { RUNS_REMEMBERED_MAX } from '../limits.ts';
import type { CarriedDraws } from './carried-draws.ts';
import type { DrawTape, TapedEvents } from './draw-tape.ts';
import type { Identity } from './identity.ts';
import type { UnseenConnections } from './unseen-connections.ts';

/** What all crossings of one run in this process share. */
export interface RunState {
  /** Start order of the next crossing without an enclosing crossing. */
  nextRootOrder: number;
  /** Completion order of the next crossing that settles. */
  nextSettled: number;
  /** Whether a crossing has settled, and no code has run yet that was not waiting by then: see `settleInRun`. */
  isSettling?: boolean;
  /** Who the run is for, as far as `identify` was told. */
  identity: Identity;
  /** Why somebody asked for the run to be kept; absent where nobody did. */
  keepReason?: string;
  /** How many crossings that no other encloses are open. */
  openRoots: number;
  /** The last one of them that ended. */
  endedRoot?: SpanContext;
  /** Whether it is a request that came in. */
  isRequest?: boolean;
  /** Told that a call was made inside of a request that is recorded; undefined of any other run. */
  request?: { called(): void } | undefined;
  /** Those of the crossing that no other encloses: of code that goes on behind a crossing of the run, too. */
  connections?: UnseenConnections | undefined;
  /** What code of its crossings drew that have ended, and no call carries yet; whether some of that was given up. */
  late?: { readonly waiting: Set<LateTape>; hasGivenUp: boolean } | undefined;
  /** Of its crossings that have ended and whose code went on, where timers and work fire, by span id, and how many these are. */
  lateEvents?: { readonly tapes: Map<string, DrawTape>; count: number } | undefined;
}

/** When an answer is told of whose run has ended: as that ends, as the answer comes later, or as who had all of it that was asked for waits for more. */
export type OutlivedMoment = 'at-end' | 'late' | 'read-on';

/** A crossing that ends with the answer it is given. */
export interface AnsweredCrossing {
  /**
   * Its run has ended: records what has come of the answer, and how the agent stands to it; where it came `late`, only if nobody reads it. What is
   * recorded later takes the place of that.
   */
  outliveRun(when: OutlivedMoment): void;
}

/** The answers that crossings below one root are given, as long as they go on. */
export interface OpenAnswers {
  /** When the root ended; undefined until then. Nobody may ever read them to their end from there on. */
  runEndUnixNano?: bigint;
  /** Undefined where there was none. */
  crossings?: Set<AnsweredCrossing>;
}

/** What the code of one crossing draws once that has ended. */
export interface LateTape {
  readonly spanId: string;
  readonly run: RunState;
  readonly tape: DrawTape;
  /** How many calls have carried some of it. */
  ordinal: number;
  /** Whether it is among those that wait for a call. */
  isWaiting: boolean;
  /** Whether nothing is kept of it any more. */
  isGivenUp: boolean;
  /** How many of the tape's losses have been told. */
  toldLosses: number;
}

/** What one open crossing gives to the crossings directly inside it. */
export interface CrossingScope {
  readonly traceId: string;
  readonly spanId: string;
  /** Those of its span: what stands below it is sampled by the host as it is. */
  readonly traceFlags: number;
  readonly run: RunState;
  readonly answers: OpenAnswers;
  /** Whether it is a call of a client of a model or of HTTP: the library's code runs directly inside, and none of the agent. */
  readonly isClientCall?: boolean;
  /** Whether it is an agent, or handles a delivery: the code directly inside runs again in a replay. */
  readonly isAgent?: boolean;
  /** Start order of the next child; counted up synchronously, so that it never depends on timestamps. */
  nextOrder: number;
  /** What code directly inside drew from the clock and from random sources. */
  draws?: DrawTape;
  /** Connections of the code directly inside that nothing recorded. */
  connections?: UnseenConnections | undefined;
  /** What is told of boundaries called by the code directly inside whose result gave something else when it was waited for, or read, again. */
  givenAnew?: Set<string>;
  /** Evaluations of feature flags by the code directly inside. */
  flags?: FlagEvent[];
  /** Its span has left. */
  hasEnded?: boolean;
  /** What the code directly inside draws since. */
  late?: LateTape;
  /** Of a root that has ended: what it carries of others, once that was asked for. */
  carriedAtEnd?: CarriedDraws | undefined;
  /** Of such a root: where timers and work fired of crossings that had ended before it. */
  lateEvents?: Readonly<Record<string, TapedEvents>>;
}

/** Under which a context holds the scope of its nearest enclosing crossing. */
export const SCOPE_KEY = createContextKey('reenact.crossing-scope.1');

/** The scope of the nearest enclosing crossing, or undefined. */
export function scopeOf(context: Context): CrossingScope | undefined {
  return context.getValue(SCOPE_KEY) as CrossingScope | undefined;
}

/** A context whose nearest enclosing crossing is the scope's. */
export function withScope(context: Context, scope: CrossingScope): Context {
  return context.setValue(SCOPE_KEY, scope);
}

/** Run states by trace id, for crossings that no crossing encloses; the least recently used is forgotten first. */
export class RunTable {
  private readonly runs = new Map<string, RunState>();

  /** The state of this trace's run, made on first use. */
  of(traceId: string): RunState {
    const run = this.runs.get(traceId) ?? { nextRootOrder: 0, nextSettled: 0, openRoots: 0, identity: {} };
    this.runs.delete(traceId);
    this.runs.set(traceId, run);
    forgetOldest(this.runs, RUNS_REMEMBERED_MAX);
    return run;
  }
}
