import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CLOCK_LEAP_MS } from './limits.ts';
import { RetentionClock } from './retention-clock.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const GRACE_MS = 7 * DAY_MS;
const START_MS = Date.UTC(2026, 10, 22);

/** A machine whose clock can be set while time passes. */
class Machine {
  wallMs = START_MS;
  steadyMs = 5_000;
  readonly leapsMs: number[] = [];

  startClock(lastMs: number | undefined): RetentionClock {
    return new RetentionClock({
      lastMs,
      graceMs: GRACE_MS,
      onLeap: (aheadMs) => this.leapsMs.push(aheadMs),
      clocks: { wallMs: () => this.wallMs, steadyMs: () => this.steadyMs },
    });
  }

  pass(ms: number): void {
    this.wallMs += ms;
    this.steadyMs += ms;
  }
}

describe('the time by which runs are thinned out', () => {
  it('is that of the system while nobody sets it', () => {
    const machine = new Machine();
    const clock = machine.startClock(START_MS - 1_000);
    for (let day = 0; day < 40; day += 1) {
      expect(clock.nowMs()).toBe(machine.wallMs);
      machine.pass(DAY_MS);
    }
    expect(machine.leapsMs).toEqual([]);
  });

  it('does not leap with it, which is told once, and takes it back when it is set right', () => {
    const machine = new Machine();
    const clock = machine.startClock(START_MS);
    machine.wallMs += 40 * DAY_MS;
    expect(clock.nowMs()).toBe(START_MS);
    machine.pass(HOUR_MS);
    expect(clock.nowMs()).toBe(START_MS + HOUR_MS);
    machine.wallMs -= 40 * DAY_MS;
    expect(clock.nowMs()).toBe(machine.wallMs);
    expect(machine.leapsMs).toEqual([40 * DAY_MS]);
  });

  it('believes a leap that is still there after a grace window', () => {
    const machine = new Machine();
    const clock = machine.startClock(undefined);
    machine.wallMs += 40 * DAY_MS;
    clock.nowMs();
    machine.pass(GRACE_MS - 1);
    expect(clock.nowMs()).toBe(START_MS + GRACE_MS - 1);
    machine.pass(1);
    expect(clock.nowMs()).toBe(machine.wallMs);
  });

  it('goes on from where it was where a machine starts with a clock ahead of it, and tells nobody', () => {
    const machine = new Machine();
    const lastMs = START_MS - 400 * DAY_MS;
    const clock = machine.startClock(lastMs);
    machine.pass(HOUR_MS);
    expect(clock.nowMs()).toBe(lastMs + HOUR_MS);
    expect(machine.leapsMs).toEqual([]);
    machine.pass(GRACE_MS);
    expect(clock.nowMs()).toBe(machine.wallMs);
  });

  it('makes nothing older than it is by more than the limit within a grace window, however the clock is set', () => {
    const set = fc.record({
      passMs: fc.integer({ min: 0, max: 6 * HOUR_MS }),
      setMs: fc.integer({ min: -1e12, max: 1e12 }),
    });
    fc.assert(
      fc.property(fc.array(set, { maxLength: 27 }), (steps) => {
        const machine = new Machine();
        const clock = machine.startClock(START_MS);
        for (const { passMs, setMs } of steps) {
          const before = clock.nowMs();
          machine.pass(passMs);
          machine.wallMs += setMs;
          expect(clock.nowMs() - before).toBeLessThanOrEqual(passMs + CLOCK_LEAP_MS);
        }
      }),
    );
  });
});
