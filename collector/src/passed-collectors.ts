import { randomBytes } from 'node:crypto';
import { PASSED_COLLECTORS_MAX } from './limits.ts';

/** Names, in a request that is sent on, the collectors it has passed, the oldest first. Over gRPC it is metadata of the same name. */
export const PASSED_HEADER = 'x-reenact-passed';

const COLLECTOR_ID = /^[0-9a-f]{16}$/;

/** Names a collector for as long as it runs: a copy of its directory elsewhere is another one. */
export function newCollectorId(): string {
  return randomBytes(8).toString('hex');
}

/** The collectors a request has passed before; none where its sender is no collector. */
export function readPassed(header: string | undefined): readonly string[] {
  const ids = header?.split(',').map((id) => id.trim()) ?? [];
  return ids.every((id) => COLLECTOR_ID.test(id)) ? ids : [];
}

/** Why a request is not sent on any further; undefined where it is. */
export function whyNotForwarded(passed: readonly string[], ownId: string): 'loop' | 'too-far' | undefined {
  if (passed.includes(ownId)) return 'loop';
  return passed.length >= PASSED_COLLECTORS_MAX ? 'too-far' : undefined;
}
