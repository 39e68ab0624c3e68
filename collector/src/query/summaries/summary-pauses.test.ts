import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SUMMARIES_PAUSED_MAX, SUMMARY_FIRST_QUIET_MS, SUMMARY_QUIET_MS, SUMMARY_STALE_MS_MAX } from '../limits.ts';
import { SummaryPauses } from './summary-pauses.ts';

const MEBIBYTE = 1024 * 1024;

function trace(traceId: string, revision: number, tenant = 'a') {
  return { tenant, traceId, revision, change: revision };
}

/** Pauses on a clock that goes only where a test says so. */
function pausesAt(clock: { nowMs: number }, followed: readonly string[] = []): SummaryPauses {
  return new SummaryPauses({ nowMs: () => clock.nowMs, isFollowed: (tenant) => followed.includes(tenant) });
}

describe('pauses between summaries', () => {
  it('hold what changes within them until it is quiet, in its newest revision', () => {
    const clock = { nowMs: 0 };
    const pauses = pausesAt(clock);
    expect(pauses.hold(trace('1', 1), false)).toBe(false);
    pauses.begin(trace('1', 1), 1);
    clock.nowMs = 1_000;
    expect(pauses.hold(trace('1', 2), false)).toBe(true);
    clock.nowMs = 2_000;
    expect(pauses.hold(trace('1', 3), false)).toBe(true);
    expect(pauses.nextDueMs()).toBe(SUMMARY_QUIET_MS);
    clock.nowMs += SUMMARY_QUIET_MS - 1;
    expect(pauses.releaseDue()).toEqual([]);
    clock.nowMs += 1;
    expect(pauses.releaseDue()).toEqual([trace('1', 3)]);
    expect(pauses.nextDueMs()).toBeUndefined();
    expect(pauses.hold(trace('1', 4), false)).toBe(false);
  });

  it('last longer for larger runs, up to a limit', () => {
    const clock = { nowMs: 0 };
    const pauses = pausesAt(clock);
    for (const [name, bytes] of Object.entries({ small: MEBIBYTE, large: 5 * MEBIBYTE, huge: 500 * MEBIBYTE })) {
      pauses.begin(trace(name, 1), bytes);
      pauses.hold(trace(name, 2), false);
    }
    const dueMs = (): number => {
      const waitMs = pauses.nextDueMs() ?? 0;
      clock.nowMs += waitMs;
      expect(pauses.releaseDue()).toHaveLength(1);
      return clock.nowMs;
    };
    expect([dueMs(), dueMs(), dueMs()]).toEqual([SUMMARY_QUIET_MS, 20_480, SUMMARY_STALE_MS_MAX]);
  });

  it('give a tenant what is its own, and forget no other', () => {
    const pauses = pausesAt({ nowMs: 0 });
    for (const tenant of ['a', 'b']) {
      pauses.begin(trace('1', 1, tenant), 1);
      pauses.hold(trace('1', 2, tenant), false);
    }
    expect(pauses.release('a')).toEqual([trace('1', 2, 'a')]);
    expect(pauses.release('a')).toEqual([]);
    expect(pauses.release('b')).toEqual([trace('1', 2, 'b')]);
  });

  it('remember only so many: one more does not wait', () => {
    const clock = { nowMs: 0 };
    const pauses = pausesAt(clock);
    for (let number = 0; number <= SUMMARIES_PAUSED_MAX; number += 1) pauses.begin(trace(`${number}`, 1), 1);
    expect(pauses.hold(trace('0', 2), false)).toBe(false);
    expect(pauses.hold(trace(`${SUMMARIES_PAUSED_MAX}`, 2), false)).toBe(true);
  });
});

describe('pauses of a run that goes on, and of a new one', () => {
  it('last longer for runs that have gone on longer, also with times of quiet between', () => {
    const clock = { nowMs: 0 };
    const pauses = pausesAt(clock);
    const quietMs: number[] = [];
    for (let revision = 1; clock.nowMs < 3_600_000; revision += 1) {
      const one = trace('slow', revision);
      if (!pauses.hold(one, true)) pauses.begin(one, 1);
      const waitMs = pauses.nextDueMs() ?? 0;
      quietMs.push(waitMs);
      clock.nowMs += waitMs;
      for (const due of pauses.releaseDue()) pauses.begin(due, 1);
      clock.nowMs += 10_000;
    }
    expect(quietMs[0]).toBe(SUMMARY_FIRST_QUIET_MS);
    expect(quietMs[1]).toBe(SUMMARY_QUIET_MS);
    expect(quietMs).toEqual(quietMs.toSorted((one, other) => one - other));
    expect(quietMs.at(-1)).toBe(SUMMARY_STALE_MS_MAX);
  });

  it('hold a new run for a moment, but none that somebody follows', () => {
    const clock = { nowMs: 0 };
    const pauses = pausesAt(clock, ['b']);
    expect(pauses.hold(trace('1', 1, 'b'), true)).toBe(false);
    expect(pauses.hold(trace('1', 1), true)).toBe(true);
    clock.nowMs = 1_500;
    expect(pauses.hold(trace('1', 2), true)).toBe(true);
    expect(pauses.nextDueMs()).toBe(SUMMARY_FIRST_QUIET_MS);
    clock.nowMs += SUMMARY_FIRST_QUIET_MS;
    expect(pauses.releaseDue()).toEqual([trace('1', 2)]);
  });
});

describe('whatever changes, and whenever', () => {
  const step = fc.record({
    act: fc.constantFrom('change', 'ask', 'wait'),
    name: fc.constantFrom('1', '2', '3'),
    tenant: fc.constantFrom('a', 'b'),
    waitMs: fc.nat({ max: 30_000 }),
    bytes: fc.nat({ max: 20 * MEBIBYTE }),
    holdsAll: fc.boolean(),
  });

  it('nothing is lost, given twice, or held beyond the limit', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80, size: 'max' }), (steps) => {
        const clock = { nowMs: 0 };
        const pauses = pausesAt(clock, ['b']);
        const heldSince = new Map<string, { revision: number; sinceMs: number }>();
        const summarise = (given: ReturnType<SummaryPauses['release']>, bytes: number) => {
          for (const one of given) {
            expect(heldSince.get(`${one.tenant}${one.traceId}`)?.revision).toBe(one.revision);
            heldSince.delete(`${one.tenant}${one.traceId}`);
            pauses.begin(one, bytes);
          }
        };
        for (const [revision, { act, name, tenant, waitMs, bytes, holdsAll }] of steps.entries()) {
          const key = `${tenant}${name}`;
          if (act === 'ask') {
            summarise(pauses.release(tenant), bytes);
            expect([...heldSince.keys()].some((held) => held.startsWith(tenant))).toBe(false);
          } else if (act === 'wait') {
            clock.nowMs += Math.min(waitMs, pauses.nextDueMs() ?? waitMs);
            summarise(pauses.releaseDue(), bytes);
          } else if (pauses.hold(trace(name, revision, tenant), holdsAll)) {
            heldSince.set(key, { revision, sinceMs: heldSince.get(key)?.sinceMs ?? clock.nowMs });
          } else {
            expect(heldSince.has(key)).toBe(false);
            pauses.begin(trace(name, revision, tenant), bytes);
          }
          const since = [...heldSince.values()].map(({ sinceMs }) => sinceMs);
          expect(clock.nowMs - Math.min(clock.nowMs, ...since)).toBeLessThanOrEqual(SUMMARY_STALE_MS_MAX);
        }
      }),
    );
  });
});
