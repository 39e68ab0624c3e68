import { callPlace, placeKey } from './call-place.ts';
import type { CallPlace } from './debug-order.ts';
import type { Breakpoint } from './debugger-session.ts';
import type { ArrivalListener } from './scout.ts';

const CONDITION = Symbol.for('reenact.debug.stops');

/** Stops where the place of a call is not known; the user's frame is further down on the stack. */
function stopHere(): void {
  // biome-ignore lint/suspicious/noDebugger: it is what this function is for.
  debugger;
}

/** The calls at one place that are to be stopped before. */
interface Stop {
  readonly place: CallPlace;
  readonly ordinals: Set<number>;
}

function groupByPlace(places: readonly CallPlace[]): Map<string, Stop> {
  const stops = new Map<string, Stop>();
  for (const place of places) {
    const stop = stops.get(placeKey(place)) ?? { place, ordinals: new Set() };
    stops.set(placeKey(place), stop);
    stop.ordinals.add(place.ordinal);
  }
  return stops;
}

/**
 * Stops before crossings, on the user's line that calls them: a conditional breakpoint at each known place stops when the
 * call that is about to be made there is one that is wanted. A crossing that arrives although nothing stopped before it,
 * because its place is not known or the run went another way, is stopped at inside the call.
 */
export function stopBefore(
  spanIds: readonly string[],
  places: readonly CallPlace[],
  setBreakpoint: (breakpoint: Breakpoint) => void,
): ArrivalListener {
  const wanted = new Set(spanIds);
  const stops = groupByPlace(places);
  const made = new Map<string, number>();
  const stoppedBefore = new Set<string>();
  const isNext = (key: string): boolean => {
    const ordinal = (made.get(key) ?? 0) + 1;
    if (stops.get(key)?.ordinals.has(ordinal) !== true) return false;
    stoppedBefore.add(`${key} ${ordinal}`);
    return true;
  };
  Object.defineProperty(globalThis, CONDITION, { value: isNext, configurable: true });
  for (const [key, { place }] of stops) {
    const condition = `globalThis[Symbol.for(${JSON.stringify(Symbol.keyFor(CONDITION))})](${JSON.stringify(key)})`;
    setBreakpoint({ url: place.url, line: place.line, column: place.column, condition });
  }
  return (spanId) => {
    const place = callPlace();
    const key = place === undefined ? '' : placeKey(place);
    const ordinal = (made.get(key) ?? 0) + 1;
    made.set(key, ordinal);
    if (spanId !== undefined && wanted.has(spanId) && !stoppedBefore.has(`${key} ${ordinal}`)) stopHere();
  };
}
