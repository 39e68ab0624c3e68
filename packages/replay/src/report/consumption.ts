import { subtreeOf } from '@reenact/recordings';
import { type Crossing, isDelivery, isInputBefore, isMessageOfProcess, type Recording } from '@reenact/trace-model';
import type { EventHistory } from './event-history.ts';

/** What became of the recorded crossings of a run. */
export interface Consumption {
  /** Below the root. */
  readonly recorded: readonly Crossing[];
  /** Met by the replay, whatever the answer. */
  readonly met: ReadonlySet<string>;
  /** Not met although the code around them ran again; what is inside them is not listed on its own. */
  readonly unconsumed: readonly Crossing[];
}

/** Works out from the events what was met and what was not. */
export function consumptionOf(recording: Recording, rootSpanId: string, history: EventHistory): Consumption {
  const met = new Set<string>();
  const ranAgain = new Set([rootSpanId]);
  const served = new Set<string>();
  for (const { event } of history.met) {
    if (event.recordedSpanId === undefined) continue;
    met.add(event.recordedSpanId);
    if (event.answer === 'live' || event.answer === 'rerun') ranAgain.add(event.recordedSpanId);
    if (event.answer === 'stub') served.add(event.recordedSpanId);
  }
  const recorded = subtreeOf(recording, rootSpanId).filter(
    (crossing) => crossing.spanId !== rootSpanId && !isInputBefore(crossing),
  );
  const handled = new Set(recorded.map(({ parentSpanId }) => parentSpanId));
  // What was delivered is made again beside a call that is served: where nothing handled it, nobody has heard of it. What came of a
  // subscription may come when the run is about to end, or just not any more: it is missing only where something followed from it.
  const isReached = (crossing: Crossing, around: string): boolean => {
    if (ranAgain.has(around)) return true;
    if (isMessageOfProcess(crossing)) return false;
    const outer = isDelivery(crossing) && served.has(around) ? recording.bySpanId.get(around) : undefined;
    if (outer === undefined) return false;
    return crossing.startTimeUnixNano <= outer.endTimeUnixNano || handled.has(crossing.spanId);
  };
  const unconsumed = recorded.filter((crossing) => {
    const { spanId, parentSpanId } = crossing;
    return !met.has(spanId) && parentSpanId !== undefined && isReached(crossing, parentSpanId);
  });
  return { recorded, met, unconsumed };
}
