import type { Writable } from 'node:stream';

/** Resolves once a call whose last write found its buffer full can take more, or is over. */
export function untilDrained(call: Writable): Promise<void> {
  return new Promise((resolve) => {
    call.once('drain', resolve);
    call.once('cancelled', resolve);
  });
}
