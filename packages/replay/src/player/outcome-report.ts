import type { LiveOutcome } from '@reenact/instrumentation';
import type { Crossing, Exchange } from '@reenact/trace-model';
import { compareOutcome, isComparedByMeaning, recordedOutcomeText } from '../equality/outcome-comparison.ts';
import { isOutcomeUnverifiable } from '../equality/redaction-check.ts';
import type { EventSink } from '../events/event-sink.ts';
import type { ArrivalReporter } from './arrival-reporter.ts';
import * as wording from './divergence-wording.ts';
import { servedModelDifference } from './served-model.ts';

/** How a crossing whose code ran has ended. */
export interface LiveEnd {
  readonly recorded: Crossing;
  readonly isRoot: boolean;
  readonly outcome: LiveOutcome;
  readonly exchanges: readonly Exchange[];
  /** Microseconds since the run started: when it ended in the recording, and how far the replay had got when it ended now. */
  readonly recordedEndUs: number;
  readonly reachedUs: number;
  /** The recording ended before this did, with the process: how it would have ended then is not known. */
  readonly isBehindRecording?: boolean;
}

/** Compares how crossings whose code ran have ended with how they were recorded to, and reports what differs. */
export class OutcomeReport {
  private readonly sink: EventSink;

  constructor(sink: EventSink) {
    this.sink = sink;
  }

  /** Reports one end; that of the root is the outcome of the run. */
  report(end: LiveEnd, reporter: ArrivalReporter): void {
    const { recorded, isRoot, outcome, exchanges, recordedEndUs, reachedUs } = end;
    this.reportServedModel(end, reporter);
    const comparison = compareOutcome(recorded, outcome, exchanges);
    if (comparison.type === 'unknown') {
      const { why, isUnverified = false } = comparison;
      reporter.note(`How ${recorded.path} ended was not compared: ${why}.`, isUnverified, recorded.path);
      // It has ended all the same, and did not stop before that.
      if (isRoot) this.sink.write({ type: 'outcome', path: recorded.path, replayed: outcome.type });
      return;
    }
    if (end.isBehindRecording === true) {
      if (isRoot) this.sink.write({ type: 'outcome', path: recorded.path, replayed: comparison.live });
      return;
    }
    const isEqual = comparison.type === 'equal';
    if (isEqual && isOutcomeUnverifiable(recorded)) {
      const text = `How ${recorded.path} ended holds secrets that were redacted with another key; they are unverified.`;
      reporter.note(text, true, recorded.path);
    }
    if (!isEqual) {
      const { difference, leaves } = comparison;
      const words = isRoot ? wording.outcomeChanged(recorded, difference) : wording.outputChanged(recorded, difference);
      const endedEarly = outcome.type === 'threw' && recorded.outcome.type !== 'threw';
      reporter.divergence(isRoot ? 'outcome-changed' : 'output-changed', words, {
        candidate: recorded,
        difference,
        outcomeLeaves: leaves,
        recordedAtUs: endedEarly ? reachedUs : recordedEndUs,
        takesEffect: 'at-once',
        insideAtOnce: endedEarly,
      });
    }
    if (!isRoot) return;
    const text = recordedOutcomeText(recorded);
    const known = text === undefined ? {} : { recorded: text };
    this.sink.write({ type: 'outcome', path: recorded.path, ...known, replayed: comparison.live, equal: isEqual });
  }

  /** Tells that a run that is one served call has ended, with what it was recorded to end with. */
  served(root: Crossing): void {
    const text = recordedOutcomeText(root) ?? root.outcome.type;
    this.sink.write({ type: 'outcome', path: root.path, recorded: text, replayed: text, equal: true });
  }

  private reportServedModel({ recorded, exchanges, recordedEndUs }: LiveEnd, reporter: ArrivalReporter): void {
    const difference = servedModelDifference(recorded, exchanges);
    if (difference !== undefined) {
      const words = wording.servedModelChanged(reporter.path, difference);
      reporter.environment(words, { candidate: recorded, difference, recordedAtUs: recordedEndUs });
    }
    if (isComparedByMeaning(recorded, exchanges)) reporter.note(wording.comparedByMeaning, false);
  }
}
