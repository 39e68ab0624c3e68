import type { Divergence, SourceLine } from './divergence.ts';

/** How a recorded crossing was found for a live call (DESIGN section 6, "looking up"), best first. */
export const LOOK_UP_RUNGS = ['tool-call-id', 'input', 'order', 'moved'] as const;

/** One rung of the look-up. */
export type LookUpRung = (typeof LOOK_UP_RUNGS)[number];

/** How one crossing of the replay was answered. */
export type CrossingAnswer = 'stub' | 'live' | 'rerun' | 'refused';

/** One crossing that the replay met. */
export interface ReplayedCrossing {
  readonly path: string;
  readonly answer: CrossingAnswer;
  readonly rung?: LookUpRung;
  /** The recorded crossing that was matched. */
  readonly recordedSpanId?: string;
  /** Answered although a divergence came before it. */
  readonly stale: boolean;
  readonly source?: SourceLine;
}

/** What became of the replay, and with it the exit code. */
export const VERDICT_EXIT_CODES = {
  reproduced: 0,
  diverged: 1,
  'nothing-compared': 2,
  unverified: 2,
  unusable: 2,
  forbidden: 3,
} as const;

/** One verdict. */
export type Verdict = keyof typeof VERDICT_EXIT_CODES;

/** How the run itself ended, recorded and replayed, in one line of JSON each. */
export interface RunOutcome {
  readonly path: string;
  readonly recorded?: string;
  readonly replayed?: string;
  readonly equal: boolean;
  /** The replayed outcome rests on stubs recorded for a situation that no longer existed: it says nothing of a fix. */
  readonly stale: boolean;
}

/** Everything a replay found, the one format behind text, JSON and Markdown. Version 1. */
export interface ReplayReport {
  readonly version: 1;
  readonly replayId: string;
  readonly traceId: string;
  readonly rootSpanId: string;
  readonly rootPath: string;
  readonly profile: 'strict';
  /** `dedicated`: nothing without a position runs; `shared`: calls outside the replay are ordinary traffic. */
  readonly process: 'dedicated' | 'shared';
  /** Set where only what the agent asked of a served provider was compared, and not the whole run. */
  readonly scope?: 'model-calls';
  readonly verdict: Verdict;
  readonly exitCode: 0 | 1 | 2 | 3;
  readonly counts: {
    /** Crossings recorded below the root. */
    readonly recorded: number;
    readonly stubbed: number;
    readonly live: number;
    readonly rerun: number;
    readonly refused: number;
    readonly unconsumed: number;
    /** Live inputs compared with recorded ones. */
    readonly compared: number;
  };
  readonly crossings: readonly ReplayedCrossing[];
  /** Causes before consequences, each group in the order of discovery. */
  readonly divergences: readonly Divergence[];
  readonly outcome?: RunOutcome;
  /** Limits of this replay that a reader must know: lossy values, redactions that could not be compared. */
  readonly notes: readonly string[];
  readonly durationMs: number;
  /** Exit code or signal of the agent's own process, where there was one. */
  readonly agentExit?: string;
}
