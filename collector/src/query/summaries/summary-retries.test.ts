import { describe, expect, it } from 'vitest';
import { SUMMARIES_RETRIED_MAX, SUMMARY_RETRY_FIRST_MS, SUMMARY_RETRY_MS_MAX } from '../limits.ts';
import { SummaryRetries } from './summary-retries.ts';

const traceOf = (id: number) => ({ tenant: 'default', traceId: String(id).padStart(32, '0'), revision: 1, change: 1 });

describe('summaries that lack content', () => {
  it('are made again after a while, then after twice as long each time up to a limit', () => {
    let nowMs = 0;
    const retries = new SummaryRetries(() => nowMs);
    retries.note(traceOf(1), true);
    const waits: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      const waitMs = retries.nextDueMs() ?? 0;
      waits.push(waitMs);
      nowMs += waitMs;
      expect(retries.takeDue()).toHaveLength(1);
      retries.note(traceOf(1), true);
    }
    expect(waits.slice(0, 3)).toEqual([1, 2, 4].map((times) => times * SUMMARY_RETRY_FIRST_MS));
    expect(waits.at(-1)).toBe(SUMMARY_RETRY_MS_MAX);
    retries.note(traceOf(1), false);
    expect(retries.nextDueMs()).toBeUndefined();
  });

  it('come no later for a run that is made anew because more of it came', () => {
    let nowMs = 0;
    const retries = new SummaryRetries(() => nowMs);
    for (; nowMs < SUMMARY_RETRY_FIRST_MS; nowMs += SUMMARY_RETRY_FIRST_MS / 10) retries.note(traceOf(1), true);
    expect(retries.takeDue()).toHaveLength(1);
  });

  it('are so many at most', () => {
    let nowMs = 0;
    const retries = new SummaryRetries(() => nowMs);
    for (let id = 0; id <= SUMMARIES_RETRIED_MAX; id += 1) retries.note(traceOf(id), true);
    nowMs = SUMMARY_RETRY_FIRST_MS;
    expect(retries.takeDue()).toHaveLength(SUMMARIES_RETRIED_MAX);
  });
});
