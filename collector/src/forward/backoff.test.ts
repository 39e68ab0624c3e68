import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCollectorConfig } from '../config.ts';
import { FORWARD_BACKOFF_FIRST_MS, FORWARD_BACKOFF_MAX_MS } from '../limits.ts';
import { backoffMs, readRetryAfter } from './backoff.ts';
import { endpointOf } from './http-sender.ts';
import { FORWARD_ASKED_MS_MAX, FORWARD_ASKED_SPREAD } from './limits.ts';

describe('backoffMs', () => {
  it('stays between half the first wait and the maximum, and never comes back sooner than it was asked to', () => {
    const asked = fc.option(fc.nat(), { nil: undefined });
    const random = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), asked, random, (attempt, askedMs, value) => {
        const delay = backoffMs(attempt, askedMs, parseCollectorConfig({}).limits, () => value);
        expect(delay).toBeGreaterThanOrEqual(FORWARD_BACKOFF_FIRST_MS / 2);
        const heededMs = Math.min(askedMs ?? 0, FORWARD_ASKED_MS_MAX);
        expect(delay).toBeGreaterThanOrEqual(heededMs);
        expect(delay).toBeLessThanOrEqual(Math.max(FORWARD_BACKOFF_MAX_MS, heededMs * (1 + FORWARD_ASKED_SPREAD)));
      }),
    );
  });

  it('spreads those who were all asked for the same', () => {
    const waits = [0, 0.5, 0.9].map((value) => backoffMs(1, 300_000, parseCollectorConfig({}).limits, () => value));
    expect(waits).toEqual([300_000, 315_000, 327_000]);
  });

  it('doubles', () => {
    expect([1, 2, 3].map((attempt) => backoffMs(attempt, undefined, parseCollectorConfig({}).limits, () => 0))).toEqual(
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
