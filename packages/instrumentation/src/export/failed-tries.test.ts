import { afterEach, expect, it, vi } from 'vitest';
import { FAILED_TRIES_TOLD } from '../limits.ts';
import { FailedTries } from './failed-tries.ts';

afterEach(() => vi.restoreAllMocks());

function failing(tries: FailedTries, times: number): void {
  for (let left = times; left > 0; left -= 1) tries.failed('connect ECONNREFUSED');
}

it('tells once of tries that failed one after the other, with the reason of the last, and of no outage that was over before', () => {
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const tries = new FailedTries();
  failing(tries, FAILED_TRIES_TOLD - 1);
  expect(tries.lastReason).toBe('connect ECONNREFUSED');
  tries.over();
  expect(tries.lastReason).toBeUndefined();
  failing(tries, FAILED_TRIES_TOLD - 1);
  expect(stderr).not.toHaveBeenCalled();
  failing(tries, 5);
  tries.over();
  failing(tries, 5);
  expect(stderr.mock.calls.map(([text]) => String(text))).toEqual([expect.stringContaining('(connect ECONNREFUSED)')]);
});
