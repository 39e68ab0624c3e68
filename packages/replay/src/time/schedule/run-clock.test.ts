import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RUN_LEAD_MS } from '../../limits.ts';
import { RunClock } from './run-clock.ts';

class RealClock {
  nowMs = 1_000;

  readonly read = (): number => this.nowMs;
}

function enteredClock(): { clock: RunClock; real: RealClock } {
  const real = new RealClock();
  const clock = new RunClock(1_790_000_000_000_000_000n, real.read);
  clock.enter();
  clock.runReal(false);
  return { clock, real };
}

describe('the clock before the run', () => {
  it('stands before the recorded start and passes as real time does', () => {
    const real = new RealClock();
    const clock = new RunClock(1_790_000_000_000_000_000n, real.read);
    expect(clock.readUnixMs).toBe(1_790_000_000_000 - RUN_LEAD_MS);
    real.nowMs += 250;
    expect(clock.readUnixMs).toBe(1_790_000_000_250 - RUN_LEAD_MS);
    expect(clock.orderUs).toBe((250 - RUN_LEAD_MS) * 1_000);
  });

  it('stands where the process was set up, and a slower start does not reach into the run', () => {
    const real = new RealClock();
    const clock = new RunClock(1_790_000_000_000_000_000n, real.read);
    clock.beginAt(-3_600_000_000);
    expect(clock.readUs).toBe(-3_600_000_000);
    clock.reach(-3_000_000_000);
    expect(clock.readUs).toBe(-3_000_000_000);
    clock.reach(-5_000);
    real.nowMs += RUN_LEAD_MS / 2;
    expect(clock.readUs).toBe((-RUN_LEAD_MS / 2) * 1_000);
    clock.enter();
    expect([clock.readUs, clock.orderUs]).toEqual([0, 0]);
  });

  it('has what is recorded of a replay begin where the process was recorded to, however early the agent reads it', () => {
    const real = new RealClock();
    const clock = new RunClock(1_790_000_000_000_000_000n, real.read);
    clock.beginAt(-310_000);
    real.nowMs += 40;
    expect([clock.spanUs, clock.orderUs]).toEqual([-310_000, (40 - RUN_LEAD_MS) * 1_000]);
    clock.happened(-300_000);
    real.nowMs += 10;
    expect(clock.spanUs).toBe(-290_000);
    clock.enter();
    expect(clock.spanUs).toBeGreaterThanOrEqual(0);
  });

  it('is at the recorded start when the run is entered, and says by how much it moved', () => {
    const real = new RealClock();
    const clock = new RunClock(1_790_000_000_000_000_000n, real.read);
    real.nowMs += 700;
    expect(clock.enter()).toBe((RUN_LEAD_MS - 700) * 1_000);
    expect(clock.readUnixMs).toBe(1_790_000_000_000);
    expect(clock.orderUs).toBe(0);
  });
});

describe('the clock inside the run', () => {
  it('keeps the order still between two events, while what the agent reads passes', () => {
    const { clock, real } = enteredClock();
    real.nowMs += 40;
    expect([clock.orderUs, clock.readUs]).toEqual([0, 40_000]);
    clock.reach(5_000_000);
    expect([clock.orderUs, clock.readUs]).toEqual([5_000_000, 5_000_000]);
  });

  it('lets the order pass with real time where time is real', () => {
    const { clock, real } = enteredClock();
    clock.reach(1_000_000);
    clock.runReal(true);
    real.nowMs += 30;
    expect(clock.orderUs).toBe(1_030_000);
    clock.runReal(false);
    real.nowMs += 30;
    expect(clock.orderUs).toBe(1_030_000);
  });

  it('never runs backwards, whatever happens in whatever order', () => {
    const step = fc.oneof(
      fc.record({ reach: fc.integer({ min: -1_000_000, max: 10_000_000 }) }),
      fc.record({ passMs: fc.integer({ min: 0, max: 5_000 }) }),
      fc.record({ real: fc.boolean() }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
        const { clock, real } = enteredClock();
        let before = [clock.orderUs, clock.readUs] as const;
        for (const next of steps) {
          if ('reach' in next) clock.reach(next.reach);
          else if ('passMs' in next) real.nowMs += next.passMs;
          else clock.runReal(next.real);
          const now = [clock.orderUs, clock.readUs] as const;
          expect(now[0]).toBeGreaterThanOrEqual(before[0]);
          // Floating-point sums of microseconds differ in places nobody can read.
          expect(now[1]).toBeGreaterThanOrEqual(before[1] - 1e-3);
          before = now;
        }
      }),
    );
  });
});
