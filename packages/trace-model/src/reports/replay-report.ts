import type { DiffEntry } from '../json/json-diff.ts';
import type { Candidate, Divergence, SourceLine } from './divergence.ts';

/** How a recorded crossing was found for a live call (DESIGN section 6, "looking up"), best first. */
export const LOOK_UP_RUNGS = ['tool-call-id', 'input', 'order', 'moved'] as const;

/** One rung of the look-up. */
export type LookUpRung = (typeof LOOK_UP_RUNGS)[number];

/** How one crossing of the replay was answered. */
export type CrossingAnswer = 'stub' | 'live' | 'rerun' | 'refused';

/** One crossing that the replay met. */
export interface ReplayedCrossing {
  readonly path: string;
  /** The service that made the call, where several took part. */
  readonly service?: string;
  readonly answer: CrossingAnswer;
  readonly rung?: LookUpRung;
  /** The recorded crossing that was matched. */
  readonly recordedSpanId?: string;
  /** Answered although a divergence, or an edit, came before it. */
  readonly stale: boolean;
  /** The plan changed its outcome or input. */
  readonly edited?: EditPolicy;
  readonly source?: SourceLine;
}

/** What a plan can change on purpose: an outcome or an input, an outcome into a failure, or everything from a crossing on. */
export const EDIT_POLICIES = ['edit', 'fail', 'fork'] as const;

/** One such policy. */
export type EditPolicy = (typeof EDIT_POLICIES)[number];

/** One crossing that the user's plan changed: a cause of what follows, and no divergence. */
export interface ReportedEdit {
  /** Short id, unique in its report: `e1`, `e2` … in the order in which the crossings were met. */
  readonly id: string;
  readonly policy: EditPolicy;
  /** One sentence for people. */
  readonly message: string;
  readonly path: string;
  readonly source?: SourceLine;
  readonly candidate?: Candidate;
  /** What was recorded, and what the plan put in its place. */
  readonly difference?: readonly DiffEntry[];
  /** Differences in all; more than `difference` lists where that was cut. */
  readonly differenceTotal?: number;
  /** Paths of the crossings that were answered although the situation they were recorded in no longer existed. */
  readonly stale?: readonly string[];
  /** The next thing to do, one imperative sentence. */
  readonly next: string;
}

/** A field of inputs that the plan says is another one in every run, and what became of it. */
export interface IgnoredField {
  readonly selector: string;
  readonly path: string;
  readonly why: string;
  /** In how many compared inputs there was something at the path; 0 means that the rule can be taken out. */
  readonly met: number;
  /** In how many of these it differed from the recorded one. */
  readonly differed: number;
}

/** Whether the run depends on what the plan ignores: told by a second replay in which that held other values. */
export interface Audit {
  /** `unproven`: some ignored field kept its value both times, so nothing was learnt about it. */
  readonly verdict: 'independent' | 'depends' | 'unproven';
  /** What only the second replay diverged in. */
  readonly divergences: readonly Divergence[];
  /** Ignored fields that held the recorded value both times, each `<path> of <selector>`. */
  readonly unproven: readonly string[];
}

/**
 * strict: every input must be equal. edit-tolerant: a prompt or a model was changed on purpose, so model calls are matched
 * by their place and tool schema, and what else differs in them is only noted.
 */
export const PROFILES = ['strict', 'edit-tolerant'] as const;

/** How inputs of model calls are held against the recording. */
export type Profile = (typeof PROFILES)[number];

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

/** What became of the calls that the program made before the run began, and beside it, but not of those after it (docs/adr/0033). */
export interface ReplayedSetUp {
  /** The trace of the run of the process, whose crossings they are. */
  readonly traceId: string;
  /** The run of the process. */
  readonly spanId: string;
  /** How many crossings had begun directly in it before the run did. */
  readonly recorded: number;
  /** How many of them the recording holds; what is called over and over with one input is held a few times. */
  readonly held: number;
  /** How many calls the replay made beyond those: of a crossing that is held once, or of none. */
  readonly unrecorded: number;
  readonly stubbed: number;
  readonly live: number;
  readonly refused: number;
  /** Paths of those that the replay did not make; repeats of one that it made are not among them. No divergence. */
  readonly notMade: readonly string[];
  /** How many these are; more than `notMade` lists where that was cut. */
  readonly notMadeTotal: number;
}

/** One run of the process beside the replayed one (docs/adr/0034). */
export interface ReplayedRunBeside {
  /** Its recorded place among the runs of the process, from 1. */
  readonly place: number;
  readonly traceId: string;
  readonly rootSpanId: string;
  readonly path: string;
  /** going-on: the process ended before the run did. not-begun: the replay never came to it; no divergence. */
  readonly ended: 'ended' | 'going-on' | 'not-begun';
  readonly stubbed: number;
  readonly refused: number;
  /** What differs from its own recording, preconditions left out. */
  readonly divergences: readonly Divergence[];
}

/** What became of the runs of the process that began before the replayed one had ended: each was answered from its own recording. */
export interface ReplayedRunsBeside {
  /** The recorded place of the replayed run among the runs of the process, from 1; 0 where it is the run of the process itself. */
  readonly place: number;
  readonly recorded: number;
  readonly begun: number;
  /** How many of them differ from their recordings. */
  readonly diverged: number;
  readonly stubbed: number;
  readonly refused: number;
  /** Those that differ or never began first, as far as a report lists them; in start order. */
  readonly runs: readonly ReplayedRunBeside[];
}

/** A note that is true of several crossings alike. */
export interface RepeatedNote {
  /** The note, as it stands in `notes`. */
  readonly text: string;
  /** Paths of the crossings, in the order in which it was noted of them. */
  readonly paths: readonly string[];
  /** How many these are; more than `paths` lists where that was cut. */
  readonly pathsTotal: number;
}

/** Everything a replay found, the one format behind text, JSON and Markdown. Version 1. */
export interface ReplayReport {
  readonly version: 1;
  readonly replayId: string;
  readonly traceId: string;
  readonly rootSpanId: string;
  readonly rootPath: string;
  readonly profile: Profile;
  /** `dedicated`: nothing without a position runs; `shared`: calls outside the replay are ordinary traffic. */
  readonly process: 'dedicated' | 'shared';
  /** Set where only what the agent asked of a served provider was compared, and not the whole run. */
  readonly scope?: 'model-calls';
  readonly verdict: Verdict;
  readonly exitCode: 0 | 1 | 2 | 3;
  /** `recorded` and `unrecorded` are together what `stubbed`, `live`, `rerun`, `refused`, `unconsumed` and `inside` are together. */
  readonly counts: {
    /** Crossings recorded, the run itself among them. With `scope` the model calls alone. */
    readonly recorded: number;
    /** Calls of the replay that nothing recorded is left for, whatever became of them. */
    readonly unrecorded: number;
    readonly stubbed: number;
    readonly live: number;
    readonly rerun: number;
    readonly refused: number;
    /** Recorded and not called, although the code around it ran again. */
    readonly unconsumed: number;
    /** Recorded inside crossings whose code did not run again. */
    readonly inside: number;
    /** Live inputs compared with recorded ones. */
    readonly compared: number;
  };
  /** Those of the set-up included, as they were met; the counts are of the run only. */
  readonly crossings: readonly ReplayedCrossing[];
  /** Present where the program was recorded to do something before the run. */
  readonly setUp?: ReplayedSetUp;
  /** Present where the process went through other runs before the replayed one, or beside it. */
  readonly runsBeside?: ReplayedRunsBeside;
  /** What to do next where the program never got to the run, or to its end for want of what another request brings; absent else. */
  readonly enterBy?: string;
  /** What the plan changed on purpose, in the order in which it was met. A divergence may name one as its cause. */
  readonly edits: readonly ReportedEdit[];
  /** Causes before consequences, each group in the order of discovery. */
  readonly divergences: readonly Divergence[];
  readonly outcome?: RunOutcome;
  /** Present where the plan ignores fields, in the order of the plan. */
  readonly ignored?: readonly IgnoredField[];
  /** Present where an audit was asked for. */
  readonly audit?: Audit;
  /**
   * Where the spans of this replay went, and the traces they make, that of a fork first and then those of the other runs of its process;
   * absent where they were exported nowhere.
   */
  readonly exported?: {
    readonly url: string;
    readonly traceIds: readonly string[];
    /** Present where spans did not get there: how many, and the files that hold them. */
    readonly undelivered?: { readonly spans: number; readonly keptIn: readonly string[] };
  };
  /**
   * Limits of this replay that a reader must know: lossy values, redactions that could not be compared. What is true of several
   * crossings alike is one note.
   */
  readonly notes: readonly string[];
  /** Present where a note is about more than one crossing: which they are. In the order of `notes`. */
  readonly repeatedNotes?: readonly RepeatedNote[];
  readonly durationMs: number;
  /** Exit code or signal of the agent's own process, where there was one. */
  readonly agentExit?: string;
}
