import { type AlignedNode, nodesOf, pairedNode } from './aligned-node.ts';
import type { ComparableCrossing } from './comparable-crossing.ts';

/** What makes two crossings the same call at another place, best first; undefined where a crossing has no such mark. */
const identities: readonly ((crossing: ComparableCrossing) => string | undefined)[] = [
  ({ fingerprint }) => fingerprint,
  ({ label, crossing }) => (crossing.toolCallId === undefined ? undefined : `${label} ${crossing.toolCallId}`),
  ({ label, input }) => (input.text === undefined ? undefined : `${label} ${input.text}`),
];

type Alignment = (node: AlignedNode) => AlignedNode[];

/** Both sides are treated alike, so that swapping the recordings finds the same moves. */
class MoveFinder {
  readonly taken = new Set<AlignedNode>();
  private readonly waiting = new Set<AlignedNode>();
  private readonly alignBelow: Alignment;

  constructor(alignBelow: Alignment) {
    this.alignBelow = alignBelow;
  }

  /** Goes down level by level, so that whole parts move before their pieces do. */
  run(lonely: readonly AlignedNode[]): void {
    let level = lonely;
    while (level.length > 0) {
      for (const node of level) this.waiting.add(node);
      const fresh = identities.flatMap((identity) => this.matchBy(identity));
      level = [...level.filter((node) => !this.taken.has(node)).flatMap(({ children }) => children), ...fresh];
    }
  }

  private matchBy(identity: (crossing: ComparableCrossing) => string | undefined): AlignedNode[] {
    const groups = new Map<string, { removed: AlignedNode[]; inserted: AlignedNode[] }>();
    for (const node of this.waiting) {
      const crossing = node.left ?? node.right;
      const mark = crossing === undefined ? undefined : identity(crossing);
      if (mark === undefined) continue;
      const group = groups.get(mark) ?? { removed: [], inserted: [] };
      groups.set(mark, group);
      (node.left === undefined ? group.inserted : group.removed).push(node);
    }
    const shared = [...groups].filter(([, { removed, inserted }]) => removed.length > 0 && inserted.length > 0);
    shared.sort(([left], [right]) => (left < right ? -1 : 1));
    return shared.flatMap(([, { removed, inserted }]) =>
      removed.slice(0, inserted.length).flatMap((node, index) => this.move(node, inserted[index])),
    );
  }

  /** Makes one moved step of two lonely ones and gives the lonely steps that aligning below it leaves. */
  private move(removed: AlignedNode, inserted: AlignedNode | undefined): AlignedNode[] {
    if (removed.left === undefined || inserted?.right === undefined) return [];
    const consumed = [...nodesOf(removed), ...nodesOf(inserted)];
    if (consumed.some((node) => this.taken.has(node))) return [];
    for (const node of consumed) {
      this.taken.add(node);
      this.waiting.delete(node);
    }
    Object.assign(inserted, pairedNode(removed.left, inserted.right), { isMoved: true });
    return this.alignBelow(inserted);
  }
}

/**
 * Finds steps that only one side has, at another place on the other side, and turns each pair into one moved step at its
 * place on the right. `alignBelow` aligns what is below such a pair. Gives the steps that are no longer lonely; those on the
 * left are to be taken out of the tree.
 */
export function findMoves(lonely: readonly AlignedNode[], alignBelow: Alignment): ReadonlySet<AlignedNode> {
  const finder = new MoveFinder(alignBelow);
  finder.run(lonely);
  return finder.taken;
}
