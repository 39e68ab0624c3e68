import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HttpCollectorQuestions } from './collector-questions.ts';

/** A stream of the collector that ends at once. */
const ended = (): Response => new Response('', { headers: { 'content-type': 'text/event-stream' } });

describe('followRuns', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('asks a collector that is away less and less often, and as often as at first once it was there', async () => {
    const askedAtMs: number[] = [];
    const ending = new AbortController();
    const fetch = async (): Promise<Response> => {
      askedAtMs.push(Date.now());
      if (askedAtMs.length === 1 || askedAtMs.length === 8) return ended();
      throw new TypeError('fetch failed');
    };
    const client = new HttpCollectorQuestions({ url: 'http://127.0.0.1:4318', fetch });
    const following = client.followRuns({}, { signal: ending.signal })[Symbol.asyncIterator]().next();
    for (let second = 0; second < 67; second += 1) await vi.advanceTimersByTimeAsync(1_000);
    ending.abort();
    expect(await following).toMatchObject({ done: true });
    const waitedMs = askedAtMs.slice(1).map((at, index) => at - (askedAtMs[index] ?? 0));
    expect(waitedMs).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 16_000, 16_000, 1_000, 2_000]);
  });
});
