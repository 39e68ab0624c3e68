import { CANONICAL_POLICIES } from './canonical-input.ts';
import type { ShownCrossing } from './crossing.ts';

/** Whether a crossing is what a server of the agent was asked. */
export function isEntry({ kind, canonicalPolicy }: Pick<ShownCrossing, 'kind' | 'canonicalPolicy'>): boolean {
  const { httpEntry, rpcEntry, rpcStream } = CANONICAL_POLICIES;
  return kind === 'agent' && [httpEntry, rpcEntry, rpcStream].some(({ name }) => name === canonicalPolicy);
}
