import { type Payload, payloadTree, sharedTreeOf } from '@reenact/trace-model';

const trees = new WeakMap<Payload, unknown>();

/**
 * The tree of a payload, read once however many look at it: a summary digests it and searches it. Nobody may change it. Throws
 * SyntaxError where its text is not JSON though it says so.
 */
export function payloadTreeOf(payload: Payload): unknown {
  const shared = sharedTreeOf(payload);
  if (shared !== undefined) return shared;
  if (trees.has(payload)) return trees.get(payload);
  const tree = payloadTree(payload);
  trees.set(payload, tree);
  return tree;
}
