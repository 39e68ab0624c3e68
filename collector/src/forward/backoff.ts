import type { CollectorLimits } from '../config.ts';
import { FORWARD_ASKED_MS_MAX, FORWARD_ASKED_SPREAD } from './limits.ts';

/**
 * How long to wait before attempt `attempt` (1 is the first retry): doubling with jitter up to the maximum, and at least what the
 * destination asked for. That is spread, too: it asks all its senders for the same.
 */
export function backoffMs(
  attempt: number,
  askedMs: number | undefined,
  { forwardBackoffFirstMs, forwardBackoffMaxMs }: CollectorLimits,
  random: () => number = Math.random,
): number {
  const ceiling = Math.min(forwardBackoffFirstMs * 2 ** Math.min(attempt - 1, 20), forwardBackoffMaxMs);
  const jittered = ceiling / 2 + (ceiling / 2) * random();
  const askedAtLeastMs = Math.min(askedMs ?? 0, FORWARD_ASKED_MS_MAX) * (1 + FORWARD_ASKED_SPREAD * random());
  return Math.max(jittered, askedAtLeastMs);
}

/** Milliseconds a Retry-After header asks for, as seconds or as a date; undefined when it cannot be read. */
export function readRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(date - nowMs, 0);
}
