import type { Crossing } from '@reenact/trace-model';

/** Whether a call failed before anything was sent, for want of a token for example: it never reached its provider. */
export function isUnsent({ exchanges, outcome }: Crossing): boolean {
  return exchanges.length === 0 && outcome.type === 'threw' && outcome.error?.data !== undefined;
}
