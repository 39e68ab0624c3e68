import { randomBytes } from 'node:crypto';

/** A fresh id of one replay: 16 lower-case hex digits. */
export function createReplayId(): string {
  return randomBytes(8).toString('hex');
}
