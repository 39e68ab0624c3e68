import type { Arrival } from '@reenact/instrumentation';
import type { RecordedTimeline } from '@reenact/recordings';
import { type Crossing, crossingLabel, type DivergenceKind } from '@reenact/trace-model';
import { missingOutcome } from '../recorded/missing-outcome.ts';
import type { ResolvedPlan, Treatment } from '../resolution/resolved-plan.ts';
import type { ArrivalReporter } from './arrival-reporter.ts';
import { atOnce } from './at-once.ts';
import * as wording from './divergence-wording.ts';
import type { LookUpResult } from './look-up.ts';
import type { PlannedChanges } from './planned-changes.ts';

/** A call for which a recorded crossing was found, and what the plan says of it. */
export interface FoundCall {
  readonly found: Extract<LookUpResult, { type: 'found' }>;
  /** What would be served: the recorded crossing, or what the plan puts in its place. */
  readonly served: Crossing;
  readonly treatment: Treatment;
}

/** Says which calls must not be answered although a recorded crossing was found for them. */
export class Refusals {
  private readonly plan: ResolvedPlan;
  private readonly changes: PlannedChanges;
  private readonly timeline: RecordedTimeline;

  constructor(plan: ResolvedPlan, changes: PlannedChanges, timeline: RecordedTimeline) {
    this.plan = plan;
    this.changes = changes;
    this.timeline = timeline;
  }

  /** Whether a stub that differs is given to the agent all the same. */
  canServe({ found: { recorded }, served }: FoundCall): boolean {
    return recorded.damage.length === 0 && missingOutcome(served) === undefined && !this.plan.stopOnDivergence;
  }

  /** Whether the call must not be answered; what keeps it from that is reported before anything is thrown. */
  isRefused({ found, served, treatment }: FoundCall, arrival: Arrival, reporter: ArrivalReporter): boolean {
    const { recorded, comparison } = found;
    const refused = (kind: DivergenceKind, words: wording.Wording): true => {
      reporter.divergence(kind, words, atOnce(recorded, this.timeline.startUs(recorded)));
      return true;
    };
    if (treatment === 'forbid') {
      return refused('forbidden', wording.forbidden(reporter.path, crossingLabel(recorded), arrival.source));
    }
    if (treatment === 'stub' && recorded.damage.length > 0) {
      return refused('fixture-damaged', wording.damaged(recorded));
    }
    if (treatment === 'stub' && comparison.type === 'changed' && this.changes.forbidsStubAfterFork(recorded)) {
      return refused('forbidden', wording.forkedWrite(reporter.path, crossingLabel(recorded)));
    }
    if (this.changes.inputEditor(recorded, treatment) !== undefined && arrival.takesInput !== true) {
      reporter.note(`The input of ${reporter.path} cannot be edited: what calls it takes no other input.`, true);
      return true;
    }
    const missing = treatment === 'stub' ? missingOutcome(served) : undefined;
    if (missing !== undefined) return refused('never-recorded', wording.cold(recorded, missing));
    return this.plan.stopOnDivergence && reporter.hasDiverged;
  }
}
