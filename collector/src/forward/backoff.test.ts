import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultCollectorConfig } from '../config.ts';
import { FORWARD_BACKOFF_FIRST_MS, FORWARD_BACKOFF_MAX_MS } from '../limits.ts';
import { backoffMs, readRetryAfter } from './backoff.ts';
import { endpointOf } from './http-sender.ts';

describe('backoffMs', () => {
  it('stays between half the first wait and the maximum, whatever is asked', () => {
    const asked = fc.option(fc.nat(), { nil: undefined });
    const random = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), asked, random, (attempt, askedMs, value) => {
        const delay = backoffMs(attempt, askedMs, defaultCollectorConfig().limits, () => value);
        expect(delay).toBeGreaterThanOrEqual(FORWARD_BACKOFF_FIRST_MS / 2);
        expect(delay).toBeLessThanOrEqual(FORWARD_BACKOFF_MAX_MS);
        if (askedMs !== undefined) expect(delay).toBeGreaterThanOrEqual(Math.min(askedMs, FORWARD_BACKOFF_MAX_MS));
      }),
    );
  });

  it('doubles', () => {
    expect([1, 2, 3].map((attempt) => backoffMs(attempt, undefined, defaultCollectorConfig().limits, () => 0))).toEqual(
      [250, 500, 1000],
    );
  });
});

describe('readRetryAfter', () => {
  it.each([
    ['3', 3000],
    ['Fri, 21 Nov 2025 04:40:02 GMT', 2000],
    ['Fri, 21 Nov 2025 04:30:00 GMT', 0],
    ['soon', undefined],
    [null, undefined],
  ])('reads %s', (header, expected) => {
    expect(readRetryAfter(header, Date.parse('2025-11-21T04:40:00Z'))).toBe(expected);
  });
});

describe('endpointOf', () => {
  it.each([
    ['http://jaeger:4318', 'logs', 'http://jaeger:4318/v1/logs'],
    ['http://jaeger:4318/', 'traces', 'http://jaeger:4318/v1/traces'],
    ['https://x/otlp/v1/traces?k=1', 'metrics', 'https://x/otlp/v1/metrics?k=1'],
    ['https://x/ingest', 'traces', 'https://x/ingest'],
  ] as const)('of %s for %s', (url, signal, expected) => {
    expect(endpointOf(url, signal)).toBe(expected);
  });
});
