import type { BoundaryKind, Crossing, Recording } from '@reenact/trace-model';

const clientKinds: ReadonlySet<BoundaryKind> = new Set(['model', 'embedding', 'http']);

/**
 * Whether a run is one call of a client alone, as an app with a provider of its own records it where no agent is around. Nothing of it
 * could run again but the request itself, so it is compared and served as a call inside a run is.
 */
export function isOneCall({ crossings }: Pick<Recording, 'crossings'>, root: Crossing): boolean {
  if (!clientKinds.has(root.kind) || root.exchanges.length === 0) return false;
  return !crossings.some(({ parentSpanId }) => parentSpanId === root.spanId);
}

/** Whether a run beside the replayed one is served whole: only agents re-run where nobody asked for it. */
export function isServedBeside({ kind }: Crossing): boolean {
  return kind !== 'agent';
}
