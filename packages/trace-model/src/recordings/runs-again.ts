import { isDelivery } from '../crossings/canonical-input.ts';
import type { Crossing } from '../crossings/crossing.ts';

/**
 * Whether the code of a crossing runs again in a replay where no rule of a plan names it: that of an agent (docs/adr/0007), and what handles
 * a delivery (docs/adr/0038).
 */
export function runsAgain({
  kind,
  canonicalPolicy,
}: Pick<Crossing, 'kind'> & Partial<Pick<Crossing, 'canonicalPolicy'>>): boolean {
  return kind === 'agent' || (canonicalPolicy !== undefined && isDelivery({ canonicalPolicy }));
}
