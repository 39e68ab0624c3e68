import { pristine } from '../host/pristine.ts';
import { RETRY_ASKED_MS_MAX, RETRY_SPREAD } from '../limits.ts';

const UINT32_END = 2 ** 32;

/** Of the platform, since what a run draws is recorded. */
const drawn = (): number => pristine.randomBytes(4).readUInt32LE() / UINT32_END;

/**
 * How long to wait until what could not be delivered is tried again: at least as long as the receiver asked for, within a bound, and longer by chance, so
 * that not every process of a fleet comes back at the same moment.
 */
export function retryWaitMs(retryDelayMs: number, askedMs: number | undefined, random: () => number = drawn): number {
  return Math.max(retryDelayMs, Math.min(askedMs ?? 0, RETRY_ASKED_MS_MAX)) * (1 + RETRY_SPREAD * random());
}
