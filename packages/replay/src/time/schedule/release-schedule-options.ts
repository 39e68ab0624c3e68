import type { IdleBeforeRun } from './idle-before-run.ts';
import type { Pace } from './pace.ts';
import type { ReactionTurnsOptions } from './reaction-turns.ts';
import type { RunClock } from './run-clock.ts';
import type { RunInStep, StepOfRun } from './runs-in-step.ts';
import type { SetUpToCome } from './set-up-to-come.ts';
import type { TimerRulesOptions } from './timer-rules.ts';

/** What a schedule may be told beyond the recorded times. */
export interface ReleaseScheduleOptions extends Omit<TimerRulesOptions, 'timeline'> {
  readonly clock?: RunClock | undefined;
  /** recorded: what was recorded is released after the recorded delays. Default: without waiting. */
  readonly pace?: Pace | undefined;
  /** Takes a place beside the other runs of the process. Default: there are none. */
  readonly joinOthers?: ((run: RunInStep) => StepOfRun) | undefined;
  /** What the process did before the run. Default: nothing is known of it. */
  readonly setUp?: SetUpToCome | undefined;
  /** Tells when a timer before the run fires early. Default: none does, but by what the set-up says. */
  readonly idle?: IdleBeforeRun | undefined;
  /** See `ReactionTurnsOptions`. */
  readonly isQuiet?: ReactionTurnsOptions['isQuiet'];
}
