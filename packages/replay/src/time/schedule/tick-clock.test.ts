import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RunClock } from './run-clock.ts';
import { TickClock } from './tick-clock.ts';

const startMs = 1_790_000_000_000;

describe('a clock that only runs forward', () => {
  it('is above zero and never runs backwards, however young the recorded process was when its run began', () => {
    const lead = fc.double({ min: 0.001, max: 600_000, noNaN: true });
    const steps = fc.array(fc.double({ min: 0, max: 30_000, noNaN: true }), { minLength: 1 });
    fc.assert(
      fc.property(lead, steps, steps, (leadMs, before, inside) => {
        let realMs = 0;
        const clock = new RunClock(BigInt(startMs) * 1_000_000n, () => realMs);
        const ticks = new TickClock(clock, () => ({ timeOriginMs: startMs - leadMs, hrtimeNano: '0' }));
        let latest = 0;
        const isForward = (): boolean => {
          const previous = latest;
          latest = ticks.nowNano();
          return latest >= previous;
        };
        for (const step of before) {
          realMs += step;
          if (!isForward()) return false;
        }
        clock.enter();
        // A time since 1970 is not kept more exactly than to a quarter of a microsecond.
        if (ticks.nowNano() + 1_000 < Math.round(leadMs * 1e6)) return false;
        return inside.every((step) => {
          realMs += step;
          return isForward();
        });
      }),
    );
  });

  it('starts a minute before the run where nobody read it when that was recorded', () => {
    const clock = new RunClock(BigInt(startMs) * 1_000_000n, () => 0);
    const ticks = new TickClock(clock, () => undefined);
    expect(ticks.timeOriginMs).toBe(startMs - 60_000);
    clock.enter();
    expect(ticks.nowNano()).toBe(60_000 * 1e6);
  });
});
