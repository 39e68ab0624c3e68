import type { Crossing } from '@reenact/trace-model';

/** The longest that the code of a run was recorded to go on without any call, milliseconds. `crossings`: its own and those inside it. */
export function longestGapMs(root: Crossing, crossings: readonly Crossing[]): number {
  const isOver = root.outcome.type !== 'pending';
  const inOrder = crossings
    .filter(({ spanId, kind }) => spanId !== root.spanId && kind !== 'agent')
    .toSorted((left, right) => Number(left.startTimeUnixNano - right.startTimeUnixNano));
  let reached = root.startTimeUnixNano;
  let longest = 0n;
  const reach = (start: bigint, end: bigint): void => {
    if (start - reached > longest) longest = start - reached;
    if (end > reached) reached = end;
  };
  for (const { startTimeUnixNano, endTimeUnixNano } of inOrder) reach(startTimeUnixNano, endTimeUnixNano);
  if (isOver) reach(root.endTimeUnixNano, root.endTimeUnixNano);
  return Number(longest) / 1e6;
}
