import { ATTR_REENACT_MODE } from '@reenact/semconv/reenact';
import { alignCrossings } from './align-crossings.ts';
import { type AlignedNode, lonelyNode, nodesOf, pairedNode } from './aligned-node.ts';
import type { ComparableCrossing } from './comparable-crossing.ts';
import { findMoves } from './find-moves.ts';

/** Two trees as one, and whether every list of siblings was aligned optimally. */
export interface AlignedTree {
  readonly root: AlignedNode;
  readonly isOptimal: boolean;
  /** How many crossings were left out because the other side was served the call around them as a whole. */
  readonly notRun: number;
}

/** In a replay, and what a fork copied of one: the code of this call did not run, so nothing was called inside of it. */
function wasServed({ crossing, children }: ComparableCrossing): boolean {
  return children.length === 0 && crossing.attributes.get(ATTR_REENACT_MODE) === 'stub';
}

class TreeAligner {
  isOptimal = true;
  notRun = 0;

  /** Aligns what is below a pair, all the way down, and gives the steps that only one side has. */
  alignBelow(top: AlignedNode): AlignedNode[] {
    const lonely: AlignedNode[] = [];
    const pairs = [top];
    for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
      pair.children = this.childrenOf(pair);
      for (const child of pair.children) {
        if (child.left !== undefined && child.right !== undefined) pairs.push(child);
        else lonely.push(child);
      }
    }
    return lonely;
  }

  private childrenOf({ left, right }: AlignedNode): AlignedNode[] {
    const [lefts, rights] = [left?.children ?? [], right?.children ?? []];
    if (left !== undefined && right !== undefined && (wasServed(left) || wasServed(right))) {
      this.notRun += Math.max(left.size, right.size) - 1;
      return [];
    }
    const { steps, isOptimal } = alignCrossings(lefts, rights);
    this.isOptimal &&= isOptimal;
    return steps.flatMap((step) => {
      const onLeft = step.left === undefined ? undefined : lefts[step.left];
      const onRight = step.right === undefined ? undefined : rights[step.right];
      if (onLeft !== undefined && onRight !== undefined) return [pairedNode(onLeft, onRight)];
      if (onLeft !== undefined) return [lonelyNode('left', onLeft)];
      return onRight === undefined ? [] : [lonelyNode('right', onRight)];
    });
  }
}

/** Another kind or name is told with the input: it is another thing that was called. */
function markRenamed(root: AlignedNode, left: string, right: string): void {
  const { places, total } = root.input.type === 'changed' ? root.input.difference : { places: [], total: 0 };
  root.input = {
    type: 'changed',
    difference: { places: [{ path: 'name', left, right }, ...places], total: total + 1 },
  };
  const isOutcomeChanged = root.status === 'outcome-changed' || root.status === 'input-and-outcome-changed';
  root.status = isOutcomeChanged ? 'input-and-outcome-changed' : 'input-changed';
}

/**
 * Aligns two trees from their roots, which are taken for the same step whatever they are called: each list of siblings
 * globally, then whatever is left alone with the same call at another place.
 */
export function alignTrees(left: ComparableCrossing, right: ComparableCrossing): AlignedTree {
  const aligner = new TreeAligner();
  const root = pairedNode(left, right);
  if (left.label !== right.label) markRenamed(root, left.label, right.label);
  const taken = findMoves(aligner.alignBelow(root), (node) => aligner.alignBelow(node));
  for (const node of nodesOf(root)) {
    node.children = node.children.filter((child) => child.status !== 'removed' || !taken.has(child));
  }
  return { root, isOptimal: aligner.isOptimal, notRun: aligner.notRun };
}
