import { expect, it } from 'vitest';
import { RETRY_ASKED_MS_MAX, RETRY_DELAY_MS, RETRY_SPREAD } from '../limits.ts';
import { retryWaitMs } from './retry-wait.ts';

it.each([
  ['an hour, and is asked after a few minutes all the same', 3_600_000, RETRY_ASKED_MS_MAX],
  ['a minute', 60_000, 60_000],
  ['nothing', undefined, RETRY_DELAY_MS],
])('waits for a receiver that asks for %s', (_, askedMs, leastMs) => {
  const waits = [0, 0.5].map((random) => retryWaitMs(RETRY_DELAY_MS, askedMs, () => random));
  expect(waits).toEqual([leastMs, leastMs * (1 + RETRY_SPREAD / 2)]);
});
