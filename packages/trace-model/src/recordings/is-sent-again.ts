import { CANONICAL_POLICIES } from '../crossings/canonical-input.ts';
import type { Crossing } from '../crossings/crossing.ts';

const { httpEntry, rpcEntry, rpcStream } = CANONICAL_POLICIES;

/** Whether a run was entered by an inbound HTTP request. */
export function isInboundRequest(root: Crossing): boolean {
  return root.kind === 'agent' && root.canonicalPolicy === httpEntry.name;
}

/** Whether a run was entered by an inbound gRPC call. */
export function isInboundRpc(root: Crossing): boolean {
  return root.kind === 'agent' && [rpcEntry.name, rpcStream.name].some((name) => name === root.canonicalPolicy);
}

/** Whether a run was entered by what came in to a server, and is entered again by sending that. */
export function isSentAgain(root: Crossing): boolean {
  return isInboundRequest(root) || isInboundRpc(root);
}
