import { pristine } from '@reenact/instrumentation';
import type { EventSink } from '../events/event-sink.ts';
import { callPlace, placeKey } from './call-place.ts';

// Taken before the guard replaces it.
const kill = process.kill.bind(process);

/** Told of every call that was matched with a recorded crossing, on the stack of the code that makes it. */
export type ArrivalListener = (recordedSpanId: string | undefined) => void;

/**
 * Finds out where crossings are called from, and ends the process at once when all are known: nobody waits for the rest of a
 * run that is only looked over. Without handlers, so that no code of the agent tidies up.
 */
export function scoutPlaces(spanIds: readonly string[], sink: EventSink): ArrivalListener {
  const wanted = new Set(spanIds);
  const counts = new Map<string, number>();
  return (spanId) => {
    const place = callPlace();
    if (place !== undefined) {
      const ordinal = (counts.get(placeKey(place)) ?? 0) + 1;
      counts.set(placeKey(place), ordinal);
      if (spanId !== undefined && wanted.has(spanId)) sink.write({ type: 'called-from', spanId, ...place, ordinal });
    }
    if (spanId === undefined || !wanted.delete(spanId) || wanted.size > 0) return;
    kill(pristine.processId, 'SIGKILL');
  };
}
