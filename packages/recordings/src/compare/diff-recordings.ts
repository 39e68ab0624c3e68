import { ATTR_SERVICE_NAME } from '@reenact/semconv/core';
import { type Crossing, type Recording, ReenactError } from '@reenact/trace-model';
import { alignTrees } from './align-trees.ts';
import { type AlignedNode, nodesOf, STEP_STATUSES } from './aligned-node.ts';
import { type ComparableTree, comparableTree } from './comparable-crossing.ts';
import { differenceOrder } from './difference-order.ts';
import { environmentDifferences } from './environment-differences.ts';
import { DIFFERENCES_LISTED_MAX, PATHS_NAMED_MAX } from './limits.ts';
import type { PartComparison } from './part-comparison.ts';
import type {
  CrossingReference,
  DiffSide,
  DiffStep,
  DiffTotals,
  RecordingDiff,
  StepDifference,
} from './recording-diff.ts';
import type { TreeDifference } from './tree-difference.ts';

/** One side of a comparison: a recording, and the run or the part of it that is compared. */
export interface DiffInput {
  readonly recording: Recording;
  readonly rootSpanId: string;
}

/** How two recordings are compared. */
export interface DiffOptions {
  /** Compare also what a provider makes anew for every answer: ids, times of creation, how a stream was cut. Default false. */
  readonly exact?: boolean;
  /** How whoever reads the notes asks for that. Default `--exact`. */
  readonly exactIs?: string;
}

function treeOf({ recording, rootSpanId }: DiffInput, exact: boolean): ComparableTree {
  const tree = comparableTree(recording, rootSpanId, exact);
  if (tree !== undefined) return tree;
  throw new ReenactError('cold-case', 'There is no crossing to compare under this span.', {
    where: `trace ${recording.traceId}, span ${rootSpanId}`,
    next: 'Look at `reenact show <id>` for the crossings this trace holds; spans of other instrumentations may be none.',
  });
}

function sideOf({ recording }: DiffInput, { root }: ComparableTree): DiffSide {
  const service = recording.resource.get(ATTR_SERVICE_NAME);
  return {
    traceId: recording.traceId,
    rootSpanId: root.crossing.spanId,
    rootPath: root.crossing.path,
    ...(typeof service === 'string' ? { service } : {}),
    startedAt: new Date(Number(root.crossing.startTimeUnixNano / 1_000_000n)).toISOString(),
    crossings: root.size,
  };
}

function isDifferent({ status, isMoved }: AlignedNode): boolean {
  return status !== 'equal' || isMoved;
}

function reference(crossing: Crossing | undefined): CrossingReference | undefined {
  return crossing === undefined ? undefined : { path: crossing.path, spanId: crossing.spanId };
}

function references(node: AlignedNode): Pick<DiffStep, 'moved' | 'left' | 'right'> {
  const [left, right] = [reference(node.left?.crossing), reference(node.right?.crossing)];
  return {
    ...(node.isMoved ? { moved: true } : {}),
    ...(left === undefined ? {} : { left }),
    ...(right === undefined ? {} : { right }),
  };
}

function isGoneOrNew({ status }: AlignedNode): boolean {
  return status === 'removed' || status === 'inserted';
}

/** A removed or inserted part is one difference, told at its top. */
function tops(nodes: readonly AlignedNode[]): AlignedNode[] {
  const inside = new Set<AlignedNode>();
  for (const node of nodes) {
    if (!isGoneOrNew(node)) continue;
    for (const child of node.children) if (child.status === node.status) inside.add(child);
  }
  return nodes.filter((node) => isDifferent(node) && !inside.has(node));
}

function placesOf(part: PartComparison): TreeDifference | undefined {
  return part.type === 'changed' ? part.difference : undefined;
}

function differenceOf(node: AlignedNode): StepDifference {
  const [input, outcome] = [placesOf(node.input), placesOf(node.outcome)];
  const same = nodesOf(node).filter(({ status }) => status === node.status);
  return {
    status: node.status,
    ...references(node),
    ...(input === undefined ? {} : { input }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(isGoneOrNew(node) ? { crossings: same.length } : {}),
  };
}

/** By what differs first: a changed outcome counts from the end of its crossing, everything else from the start. */
function inOrder(root: AlignedNode, nodes: readonly AlignedNode[]): AlignedNode[] {
  const order = differenceOrder(root);
  const positions = new Map(
    nodes.map((node) => {
      const isLate = node.status === 'outcome-changed' && !node.isMoved;
      return [node, order(node, isLate ? 'settled' : 'started')] as const;
    }),
  );
  return nodes.toSorted((first, second) => (positions.get(first) ?? 0) - (positions.get(second) ?? 0));
}

function stepOf(node: AlignedNode, numbers: ReadonlyMap<AlignedNode, number>): DiffStep {
  const difference = numbers.get(node);
  return {
    status: node.status,
    ...references(node),
    ...(difference === undefined ? {} : { difference }),
    children: node.children.map((child) => stepOf(child, numbers)),
  };
}

function unknownParts(nodes: readonly AlignedNode[]): string[] {
  return nodes.flatMap(({ input, outcome, left }) =>
    [input, outcome].flatMap((part) => (part.type === 'unknown' ? [`${left?.crossing.path ?? ''}: ${part.why}`] : [])),
  );
}

function totalsOf(nodes: readonly AlignedNode[], notCompared: number): DiffTotals {
  const counts = Object.fromEntries(STEP_STATUSES.map((status) => [status, 0])) as Record<
    AlignedNode['status'],
    number
  >;
  for (const { status } of nodes) counts[status] += 1;
  return { ...counts, moved: nodes.filter(({ isMoved }) => isMoved).length, notCompared };
}

interface NotedFacts {
  readonly trees: readonly ComparableTree[];
  readonly isOptimal: boolean;
  readonly notRun: number;
  readonly unknown: readonly string[];
  readonly exactIs: string;
}

function notesOf({ trees, isOptimal, notRun, unknown, exactIs }: NotedFacts): string[] {
  const notes: string[] = [];
  if (!isOptimal) {
    notes.push('Some lists of siblings were too long to weigh every pair; a better alignment of them may exist.');
  }
  if (notRun > 0) {
    notes.push(
      `${notRun === 1 ? '1 crossing is' : `${notRun} crossings are`} inside of calls that a replay served whole: their code did not run there, so nothing of them was compared.`,
    );
  }
  const madeAnew = trees.reduce((sum, tree) => sum + tree.madeAnew, 0);
  if (madeAnew > 0) {
    notes.push(
      `Ids, times and numbers of processes that are made anew every time were not compared (${madeAnew} ${madeAnew === 1 ? 'place' : 'places'}); ${exactIs} compares them.`,
    );
  }
  if (unknown.length > 0) {
    const named = unknown.slice(0, PATHS_NAMED_MAX).join('; ');
    const more = unknown.length > PATHS_NAMED_MAX ? `; and ${unknown.length - PATHS_NAMED_MAX} more` : '';
    notes.push(`Not compared: ${named}${more}.`);
  }
  return notes;
}

/**
 * Compares two recordings by aligning their trees: what one side inserted marks nothing but itself. Throws ReenactError
 * `cold-case` where a side has no crossing under the span it names.
 */
export function diffRecordings(left: DiffInput, right: DiffInput, options: DiffOptions = {}): RecordingDiff {
  const { exact = false, exactIs = '--exact' } = options;
  const [leftTree, rightTree] = [treeOf(left, exact), treeOf(right, exact)];
  const { root, isOptimal, notRun } = alignTrees(leftTree.root, rightTree.root);
  const nodes = nodesOf(root);
  const different = inOrder(root, tops(nodes));
  const listed = different.slice(0, DIFFERENCES_LISTED_MAX);
  const unknown = unknownParts(nodes);
  const verdict = different.length > 0 ? 'different' : unknown.length + notRun > 0 ? 'unverified' : 'equal';
  return {
    version: 1,
    verdict,
    left: sideOf(left, leftTree),
    right: sideOf(right, rightTree),
    totals: totalsOf(nodes, unknown.length),
    environment: environmentDifferences(left.recording, right.recording, nodes),
    differences: listed.map(differenceOf),
    differenceTotal: different.length,
    tree: stepOf(root, new Map(listed.map((node, index) => [node, index + 1]))),
    notes: notesOf({ trees: [leftTree, rightTree], isOptimal, notRun, unknown, exactIs }),
  };
}
