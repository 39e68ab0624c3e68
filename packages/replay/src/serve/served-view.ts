import { type Crossing, crossingLabel, type Recording, ReenactError } from '@reenact/trace-model';
import type { ServedBoundary, ServeProtocol } from './serve-protocol.ts';

/** A recording as a provider sees it: the model calls, in start order, all directly below one root. */
export interface ServedView {
  readonly recording: Recording;
  /** What they lie below: a crossing of the recording, or one made up where the trace has none. */
  readonly root: Crossing;
  /** The model calls that are answered. */
  readonly served: readonly Crossing[];
  /** The protocol that carried each served call, by span id. */
  readonly protocols: ReadonlyMap<string, ServeProtocol>;
  /** Crossings that a provider never sees, by label, with how often each was recorded. */
  readonly outside: ReadonlyMap<string, number>;
}

interface Placed {
  readonly crossing: Crossing;
  readonly boundary: ServedBoundary;
  readonly protocol: ServeProtocol;
}

const unknownSpanId = '0'.repeat(16);

/** The span ids from a span up to the root of its trace, its own first; goes on across crossings' recorded parents. */
function* ancestry(recording: Recording, spanId: string): Generator<string> {
  const visited = new Set<string>();
  let current: string | undefined = spanId;
  while (current !== undefined && current !== '' && !visited.has(current)) {
    visited.add(current);
    yield current;
    current = recording.bySpanId.get(current)?.parentSpanId ?? recording.spans.get(current)?.parentSpanId;
  }
}

function insideOf(recording: Recording, spanId: string | undefined): readonly Crossing[] {
  if (spanId === undefined) return recording.crossings;
  if (!recording.spans.has(spanId)) {
    throw new ReenactError('not-found', `The recording holds no span with id ${spanId}.`, {
      where: spanId,
      next: 'Look at `reenact show <id>` for the span ids it holds.',
    });
  }
  return recording.crossings.filter((crossing) => [...ancestry(recording, crossing.spanId)].includes(spanId));
}

function placeOf(crossing: Crossing, protocols: readonly ServeProtocol[]): Placed | undefined {
  for (const protocol of protocols) {
    const boundary = protocol.servedAt(crossing);
    if (boundary !== undefined) return { crossing, boundary, protocol };
  }
  return undefined;
}

/** The innermost client owns the call: a framework's span around another model call only repeats it. */
function innermost(recording: Recording, placed: readonly Placed[]): readonly Placed[] {
  const around = new Set(
    placed.flatMap(({ crossing }) => [...ancestry(recording, crossing.spanId)].filter((id) => id !== crossing.spanId)),
  );
  return placed.filter(({ crossing }) => !around.has(crossing.spanId));
}

function byStart({ crossing: left }: Placed, { crossing: right }: Placed): number {
  if (left.startTimeUnixNano !== right.startTimeUnixNano)
    return left.startTimeUnixNano < right.startTimeUnixNano ? -1 : 1;
  return left.order - right.order;
}

/** The crossing that stands above all served ones, or one made up where the trace has none. */
function rootOf(recording: Recording, spanId: string | undefined, served: readonly Placed[]): Crossing {
  const servedIds = new Set(served.map(({ crossing }) => crossing.spanId));
  const named = spanId ?? (recording.roots.length === 1 ? recording.roots[0]?.spanId : undefined);
  const crossing = named === undefined ? undefined : recording.bySpanId.get(named);
  if (crossing !== undefined && !servedIds.has(crossing.spanId)) {
    const { parentSpanId: _above, ...root } = crossing;
    return root;
  }
  const first = served[0]?.crossing;
  const top = first === undefined ? undefined : [...ancestry(recording, first.spanId)].at(-1);
  const span = recording.spans.get(spanId !== undefined && !servedIds.has(spanId) ? spanId : (top ?? ''));
  const isTaken = span === undefined || servedIds.has(span.spanId);
  const name = isTaken ? 'agent' : span.name;
  return {
    traceId: recording.traceId,
    spanId: isTaken ? unknownSpanId : span.spanId,
    kind: 'agent',
    name,
    path: `agent:${name}`,
    order: 0,
    call: 'promise',
    effect: 'write',
    capture: 'none',
    canonicalPolicy: 'arguments/1',
    outcome: { type: 'pending' },
    exchanges: [],
    startTimeUnixNano: first?.startTimeUnixNano ?? 0n,
    endTimeUnixNano: 0n,
    lossy: [],
    redacted: [],
    dialect: 'reenact',
    attributes: new Map(),
    damage: [],
  };
}

/** A rebuilt answer has no wire exchanges to be read: it is a value, from which the protocol makes an HTTP answer. */
function asServed({ crossing, boundary }: Placed, rootSpanId: string, order: number): Crossing {
  return {
    ...crossing,
    ...boundary,
    parentSpanId: rootSpanId,
    order,
    call: crossing.reconstructed === true ? 'promise' : crossing.call,
  };
}

function outsideOf(inside: readonly Crossing[], kept: ReadonlySet<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const crossing of inside) {
    if (kept.has(crossing.spanId)) continue;
    const label = crossingLabel(crossing);
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return counts;
}

/**
 * Cuts a recording down to what these protocols can serve. `spanId`: only what was recorded at or below this span; absent
 * means the whole trace. Throws ReenactError `not-found`.
 */
export function servedView(
  recording: Recording,
  spanId: string | undefined,
  protocols: readonly ServeProtocol[],
): ServedView {
  const inside = insideOf(recording, spanId);
  const placed = inside.flatMap((crossing) => placeOf(crossing, protocols) ?? []);
  const chosen = innermost(recording, placed).toSorted(byStart);
  const root = rootOf(recording, spanId, chosen);
  const served = chosen.map((item, order) => asServed(item, root.spanId, order));
  const crossings = [root, ...served];
  return {
    recording: {
      ...recording,
      crossings,
      roots: [root],
      bySpanId: new Map(crossings.map((crossing) => [crossing.spanId, crossing])),
    },
    root,
    served,
    protocols: new Map(chosen.map(({ crossing, protocol }) => [crossing.spanId, protocol])),
    outside: outsideOf(inside, new Set([root.spanId, ...placed.map(({ crossing }) => crossing.spanId)])),
  };
}
