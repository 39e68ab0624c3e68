import { recordedTimeline } from '../recorded/recorded-timeline.ts';
import { type AlignedNode, nodesOf } from './aligned-node.ts';
import type { ComparableCrossing } from './comparable-crossing.ts';

type Half = 'started' | 'settled';

interface Instant {
  readonly node: AlignedNode;
  readonly half: Half;
  readonly timeUs: number;
}

/** Where in the two runs a step's start and end stand; only its order means something. */
export type DifferenceOrder = (node: AlignedNode, half: Half) => number;

/** One side's instants in the order of its run: each start before what is inside, each end after it, by recorded time. */
function instantsOf(root: AlignedNode, side: 'left' | 'right'): Instant[] {
  const crossings = nodesOf(root).flatMap((node) => node[side]?.crossing ?? []);
  const origin = root[side]?.crossing;
  if (origin === undefined) return [];
  const timeline = recordedTimeline(origin, crossings);
  const instants: Instant[] = [];
  const waiting: { readonly node: AlignedNode; readonly half: Half }[] = [{ node: root, half: 'started' }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, half } = next;
    const crossing = (node[side] satisfies ComparableCrossing | undefined)?.crossing;
    if (crossing !== undefined) {
      const timeUs = half === 'started' ? timeline.startUs(crossing) : timeline.settledUs(crossing);
      instants.push({ node, half, timeUs });
    }
    if (half === 'settled') continue;
    waiting.push({ node, half: 'settled' });
    for (const child of node.children.toReversed()) waiting.push({ node: child, half: 'started' });
  }
  return instants.sort((first, second) => first.timeUs - second.timeUs);
}

/**
 * Puts both runs into one order: the instants of the left run as they were, and each instant that only the right run has
 * behind the last one before it that both have. Times of two runs are never compared with each other.
 */
export function differenceOrder(root: AlignedNode): DifferenceOrder {
  const ranks = new Map<AlignedNode, Record<Half, number>>();
  const rank = (node: AlignedNode, half: Half, value: number): void => {
    const known = ranks.get(node) ?? { started: Number.POSITIVE_INFINITY, settled: Number.POSITIVE_INFINITY };
    known[half] = value;
    ranks.set(node, known);
  };
  instantsOf(root, 'left').forEach(({ node, half }, index) => {
    rank(node, half, index);
  });
  const onRight = instantsOf(root, 'right');
  let last = -1;
  onRight.forEach(({ node, half }, index) => {
    if (node.left === undefined) rank(node, half, last + (index + 1) / (onRight.length + 1));
    else last = Math.floor(ranks.get(node)?.[half] ?? last);
  });
  return (node, half) => ranks.get(node)?.[half] ?? Number.POSITIVE_INFINITY;
}
