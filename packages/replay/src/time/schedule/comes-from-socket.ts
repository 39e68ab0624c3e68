import type { BoundaryKind, Crossing } from '@reenact/trace-model';

const SOCKET_KINDS: ReadonlySet<BoundaryKind> = new Set([
  'model',
  'embedding',
  'http',
  'database',
  'mcp',
  'rpc',
  'message',
]);

/**
 * Whether an outcome came to the agent out of a socket. Node.js runs what waits for it from `process.processTicksAndRejections` then, which is
 * a line of every stack that is made there: agents answer with stacks, and give them to models.
 */
export function comesFromSocket({ call, kind }: Crossing): boolean {
  return call === 'exchange' || SOCKET_KINDS.has(kind);
}
