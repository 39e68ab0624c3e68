import type { RecordedTimeline } from '@reenact/recordings';
import { EQUAL, type InputComparer, type LiveInput } from '../equality/input-comparison.ts';
import type { EventSink } from '../events/event-sink.ts';
import type { ResolvedPlan } from '../resolution/resolved-plan.ts';
import type { ArrivalReporter } from './arrival-reporter.ts';
import * as wording from './divergence-wording.ts';
import { InputReport } from './input-report.ts';
import type { FoundCall, Refusals } from './refusals.ts';

/** What the report of differences works with. */
export interface DifferenceReportOptions {
  readonly plan: ResolvedPlan;
  readonly comparer: InputComparer;
  readonly refusals: Refusals;
  readonly timeline: RecordedTimeline;
  readonly sink: EventSink;
}

/** Reports how a call differs from the recorded one that was found for it: its place, its turn, its input. */
export class DifferenceReport {
  private readonly options: DifferenceReportOptions;
  private readonly inputs: InputReport;

  constructor(options: DifferenceReportOptions) {
    this.options = options;
    this.inputs = new InputReport(options.comparer, options.plan, options.sink);
  }

  /** To be called before the call is answered, or its code runs. */
  report(input: LiveInput, call: FoundCall, reporter: ArrivalReporter): void {
    const { plan, refusals, timeline } = this.options;
    const { found, treatment } = call;
    const { recorded, comparison, overtakenBy, ambiguous } = found;
    if (comparison === EQUAL && found.rung !== 'moved' && overtakenBy === undefined && plan.ignores.length === 0)
      return;
    const isServed = treatment === 'stub' && refusals.canServe(call);
    const isRunning = treatment === 'live' || treatment === 'rerun';
    const details = {
      candidate: recorded,
      recordedAtUs: timeline.endUs(recorded),
      // What is refused for it ends at once, and never settles.
      takesEffect: plan.stopOnDivergence ? 'at-once' : 'on-settle',
      insideAtOnce: isRunning,
    } as const;
    if (found.rung === 'moved') reporter.divergence('moved', wording.moved(recorded, reporter.path, isServed), details);
    if (overtakenBy !== undefined) reporter.divergence('reordered', wording.reordered(recorded, overtakenBy), details);
    const compared = { recorded, input, comparison, ambiguous, isServed };
    this.inputs.report(compared, reporter, details);
  }
}
