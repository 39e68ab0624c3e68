import type { CrossingNode } from '@reenact/trace-model/collector-api';
import { crossingState } from './crossing-state.ts';
import { ownTokens, type Tokens } from './tokens-inside.ts';

/** One crossing in time. Places are shares of the whole time, 0 to 1. */
export interface TimelineRow {
  readonly node: CrossingNode;
  readonly depth: number;
  readonly start: number;
  /** Of one that has not ended, until the end of what is known. */
  readonly length: number;
  readonly hasChildren: boolean;
  /** What a model call used, and an agent by the models inside of it. */
  readonly tokens: Tokens | undefined;
}

/** A mark on the axis of time. */
export interface Tick {
  readonly at: number;
  readonly ms: number;
}

/** Crossings in time, in the order of the tree. */
export interface Timeline {
  readonly rows: readonly TimelineRow[];
  readonly ticks: readonly Tick[];
  readonly durationMs: number;
}

const TICKS_MAX = 6;

/** Behind this there is no room for what a tick says. */
const TICK_PLACE_MAX = 0.87;
const steps = [1, 2, 5, 10];

/** Steps of half of it and more are of whole ones: `8 min 20 s` is not round, and too long for what is between two ticks. */
const MINUTE_MS = 60_000;

/** The round step that leads to at most so many ticks. */
function tickStep(durationMs: number): number {
  const least = durationMs / TICKS_MAX;
  const unit = least > MINUTE_MS / 2 ? MINUTE_MS : 1;
  const size = unit * 10 ** Math.floor(Math.log10(least / unit));
  return (steps.find((step) => step * size >= least) ?? 10) * size;
}

function ticksOf(durationMs: number): Tick[] {
  if (durationMs <= 0) return [];
  const step = tickStep(durationMs);
  const count = Math.floor((durationMs * TICK_PLACE_MAX) / step) + 1;
  return Array.from({ length: count }, (_, index) => ({ ms: index * step, at: (index * step) / durationMs }));
}

function depthsOf(nodes: readonly CrossingNode[]): Map<string, number> {
  const depths = new Map<string, number>();
  for (const { spanId, parentSpanId } of nodes) {
    const above = parentSpanId === undefined ? undefined : depths.get(parentSpanId);
    depths.set(spanId, above === undefined ? 0 : above + 1);
  }
  return depths;
}

/** Puts the crossings of a run in their places. Parents come before children, as the API gives them. */
export function layTimeline(nodes: readonly CrossingNode[], inside: ReadonlyMap<string, Tokens> = new Map()): Timeline {
  const starts = nodes.map(({ startedAt }) => Date.parse(startedAt));
  const firstMs = starts.reduce((least, start) => Math.min(least, start), Number.POSITIVE_INFINITY);
  const ends = nodes.map(({ durationMs = 0 }, index) => (starts[index] ?? firstMs) + durationMs);
  const lastMs = ends.reduce((most, end) => Math.max(most, end), firstMs);
  const durationMs = nodes.length === 0 ? 0 : lastMs - firstMs;
  const depths = depthsOf(nodes);
  const parents = new Set(nodes.map(({ parentSpanId }) => parentSpanId));
  const share = (ms: number): number => (durationMs === 0 ? 0 : ms / durationMs);
  const rows = nodes.map((node, index) => {
    const start = share((starts[index] ?? firstMs) - firstMs);
    const length = node.durationMs === undefined ? 1 - start : share(node.durationMs);
    const tokens = node.kind === 'agent' ? inside.get(node.spanId) : ownTokens(node);
    return { node, depth: depths.get(node.spanId) ?? 0, start, length, hasChildren: parents.has(node.spanId), tokens };
  });
  return { rows, ticks: ticksOf(durationMs), durationMs };
}

/** The rows that are left where what is inside of some crossings is folded away. */
export function unfoldedRows(rows: readonly TimelineRow[], folded: ReadonlySet<string>): TimelineRow[] {
  const hidden = new Set<string>();
  return rows.filter(({ node }) => {
    const { spanId, parentSpanId = '' } = node;
    const isHidden = hidden.has(parentSpanId) || folded.has(parentSpanId);
    if (isHidden) hidden.add(spanId);
    return !isHidden;
  });
}

/** What rows of a tree are looked for by. */
export interface RowSearch {
  /** Each of them is somewhere in what a row says. */
  readonly words: string;
  readonly isFailedOnly: boolean;
}

function saidOf({ kind, name, service, model, errorType, toolCallId, spanId, input, output }: CrossingNode): string {
  return [kind, name, service, model, errorType, toolCallId, spanId, input, output].join('\n').toLowerCase();
}

/** The rows that were looked for, as a set of the ids of their spans; undefined where nothing is looked for. */
export function foundSpans(
  rows: readonly TimelineRow[],
  { words, isFailedOnly }: RowSearch,
): ReadonlySet<string> | undefined {
  const each = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (each.length === 0 && !isFailedOnly) return undefined;
  const found = rows.filter(({ node }) => {
    if (isFailedOnly && crossingState(node) !== 'error') return false;
    const said = each.length === 0 ? '' : saidOf(node);
    return each.every((word) => said.includes(word));
  });
  return new Set(found.map(({ node }) => node.spanId));
}

/** The rows that were found, with those around them, so that it is seen where each is. */
export function rowsAround(rows: readonly TimelineRow[], found: ReadonlySet<string>): TimelineRow[] {
  const shown = new Set<string>();
  // From the end on, for parents come before children.
  for (const { node } of rows.toReversed()) {
    if (!found.has(node.spanId) && !shown.has(node.spanId)) continue;
    shown.add(node.spanId);
    if (node.parentSpanId !== undefined) shown.add(node.parentSpanId);
  }
  return rows.filter(({ node }) => shown.has(node.spanId));
}
