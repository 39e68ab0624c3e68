import type { Crossing } from '../crossings/crossing.ts';
import { isInputDelivery } from './input-delivery.ts';
import { isSignalDelivery } from './signal-delivery.ts';

/** Whether a crossing is what reached the process of its run, and no call of it: a signal (docs/adr/0043) or standard input (docs/adr/0054). */
export function isMessageOfProcess(crossing: Pick<Crossing, 'kind' | 'name' | 'canonicalPolicy'>): boolean {
  return isSignalDelivery(crossing) || isInputDelivery(crossing);
}
