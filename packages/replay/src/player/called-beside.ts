import { ATTR_REENACT_PROCESS_BESIDE } from '@reenact/semconv/reenact';
import { type Crossing, crossingLabel, type SetUp } from '@reenact/trace-model';
import { isOfEarlierTimer } from '../time/patches/earlier-timer.ts';

/**
 * What the process of a run called outside of every run while this one went on, when it was recorded: the exporter of somebody's telemetry,
 * a poll, or a queue that lost the run's context. What it was answered is in the run of the process, as far as that was kept.
 */
export function calledBeside({ attributes }: Crossing): ReadonlySet<unknown> {
  const labels = attributes.get(ATTR_REENACT_PROCESS_BESIDE);
  return new Set(Array.isArray(labels) ? labels : []);
}

/** What is known of what the process did outside of the run. */
export interface OutsideOfRun {
  readonly root: Crossing;
  readonly setUp: SetUp | undefined;
  /** Whether the run has been entered. */
  readonly isEntered: boolean;
}

/** A call outside of every run that says nothing of this one by itself. */
export interface CalledBeside {
  readonly beside: true;
  /**
   * A timer made it that was set before the run, as one like it was made before: it says nothing of the run where that went another way, either. What such
   * a timer calls for the first time may be done for the run, by a queue that lost its context.
   */
  readonly byTimer: boolean;
}

/**
 * Whether a call that is made now outside of every run says nothing of this one, as one like it was made there when it was recorded: while the run
 * went on; or before it, and a timer that was set before it makes this one. Such timers send events on or ask for news every second or minute, and where
 * in the run they fire is not recorded.
 */
export function calledBesideNow(label: string, { root, setUp, isEntered }: OutsideOfRun): CalledBeside | undefined {
  const wasMadeBefore = setUp?.crossings.some((before) => crossingLabel(before) === label) === true;
  const byTimer = isEntered && wasMadeBefore && isOfEarlierTimer();
  return byTimer || calledBeside(root).has(label) ? { beside: true, byTimer } : undefined;
}
