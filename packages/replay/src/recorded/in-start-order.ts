import type { Crossing } from '@reenact/trace-model';

/** Crossings in the order in which they were recorded to start, by the clock of their process. */
export function inStartOrder(crossings: readonly Crossing[]): Crossing[] {
  return [...crossings].sort((left, right) => Number(left.startTimeUnixNano - right.startTimeUnixNano));
}
