import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CLOCK_LEAP_MS } from '../limits.ts';
import type { RetentionAges } from '../store/store.ts';
import { RetentionClock, type RetentionTime, timeFrom, timeFromLost } from './retention-clock.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const GRACE_MS = 7 * DAY_MS;
const START_MS = Date.UTC(2026, 10, 22);

/** A machine whose clock can be set while time passes. */
class Machine {
  wallMs = START_MS;
  uptimeMs = 5_000;
  readonly leapsMs: number[] = [];

  boot = 1;

  private readonly clocks = {
    wallMs: () => this.wallMs,
    uptimeMs: () => this.uptimeMs,
    boot: () => `${this.boot}`,
  };

  startClock(lastMs: number | undefined): RetentionClock {
    return this.goOn(lastMs === undefined ? undefined : timeFrom(lastMs, this.clocks));
  }

  startClockAfterLoss(lastMs: number): RetentionClock {
    return this.goOn(timeFromLost(lastMs, this.clocks));
  }

  goOn(last: RetentionTime | undefined): RetentionClock {
    const onLeap = (aheadMs: number) => this.leapsMs.push(aheadMs);
    return new RetentionClock({ last, graceMs: GRACE_MS, onLeap, clocks: this.clocks });
  }

  pass(ms: number): void {
    this.wallMs += ms;
    this.uptimeMs += ms;
  }

  /** Off for so long, and on again for a minute. */
  restart(offMs: number, setMs = 0): void {
    this.wallMs += offMs + setMs;
    this.uptimeMs = 0;
    this.boot += 1;
    this.pass(60_000);
  }

  /** A day's work, with a look at the time each hour: by how much retention was behind the system's clock at its end. */
  work(last: RetentionTime | undefined, hours: number): { readonly behindMs: number; readonly last: RetentionTime } {
    const clock = this.goOn(last);
    for (let hour = 0; hour < hours; hour += 1) {
      this.pass(HOUR_MS);
      clock.nowMs();
    }
    return { behindMs: this.wallMs - clock.nowMs(), last: clock.lastTime };
  }
}

describe('the time before which nobody knows any more how the clock was set', () => {
  it('is when that was found, moves with a clock that is set, and stays over a downtime and another start', () => {
    const machine = new Machine();
    const clock = machine.startClockAfterLoss(START_MS - 90 * DAY_MS);
    expect(clock.ages.receivedAtLeastMs).toBe(START_MS);
    machine.wallMs += 40 * DAY_MS;
    clock.nowMs();
    expect(clock.ages.receivedAtLeastMs).toBe(START_MS + 40 * DAY_MS);
    machine.wallMs -= 40 * DAY_MS;
    clock.nowMs();
    machine.restart(30 * DAY_MS);
    expect(machine.goOn(clock.lastTime).ages.receivedAtLeastMs).toBe(START_MS);
  });
});

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

  it('sees steps of a clock that are one leap together', () => {
    const machine = new Machine();
    const clock = machine.startClock(undefined);
    machine.wallMs += 0.6 * HOUR_MS;
    expect(clock.wasSet()).toBe(false);
    machine.wallMs += 0.6 * HOUR_MS;
    expect(clock.wasSet()).toBe(true);
    expect(clock.nowMs()).toBe(START_MS);
    expect(clock.wasSet()).toBe(false);
  });

  it('believes each leap by itself: one of years is not believed because another one before it is', () => {
    const machine = new Machine();
    const clock = machine.startClock(START_MS);
    machine.wallMs += 2 * HOUR_MS;
    clock.nowMs();
    machine.pass(GRACE_MS - HOUR_MS);
    machine.wallMs += 400 * DAY_MS;
    clock.nowMs();
    machine.pass(HOUR_MS);
    expect(clock.nowMs()).toBe(machine.wallMs - 400 * DAY_MS);
  });
});

describe('the time by which runs are thinned out, where the clock is set again and again', () => {
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

describe('the time by which runs are thinned out, over a stop of the collector', () => {
  it('goes on by the uptime of a machine that stayed on', () => {
    const machine = new Machine();
    const { last } = machine.work(undefined, 10);
    machine.pass(30 * DAY_MS);
    expect(machine.goOn(last).nowMs()).toBe(machine.wallMs);
  });

  it('believes no clock that was set while the collector was stopped', () => {
    const machine = new Machine();
    const { last } = machine.work(undefined, 10);
    machine.pass(HOUR_MS);
    machine.wallMs += 400 * DAY_MS;
    expect(machine.goOn(last).nowMs()).toBe(machine.wallMs - 400 * DAY_MS);
  });

  it('is never behind by more than the nights of a grace window where the machine is off every night', () => {
    const machine = new Machine();
    let day = machine.work(undefined, 10);
    const behindMs: number[] = [];
    for (let night = 0; night < 120; night += 1) {
      machine.restart(14 * HOUR_MS);
      day = machine.work(day.last, 10);
      behindMs.push(day.behindMs);
    }
    expect(Math.max(...behindMs)).toBeLessThanOrEqual(7 * 14 * HOUR_MS);
  });

  it('does not believe a clock that starts years ahead before it was seen so for days, however often the machine starts', () => {
    const machine = new Machine();
    let { last } = machine.work(undefined, 10);
    let ranMs = 0;
    for (let start = 0; start < 200; start += 1) {
      machine.restart(0, 365 * DAY_MS);
      ranMs += 60_000;
      ({ last } = machine.work(last, 0));
    }
    const timeMs = machine.goOn(last).nowMs();
    expect(timeMs).toBeLessThanOrEqual(START_MS + 10 * HOUR_MS + ranMs);
  });

  it('believes a long time off after a grace window, and not before', () => {
    const machine = new Machine();
    const { last } = machine.work(undefined, 10);
    machine.restart(40 * DAY_MS);
    const clock = machine.goOn(last);
    machine.pass(GRACE_MS - 2 * 60_000);
    expect(machine.wallMs - clock.nowMs()).toBeGreaterThan(39 * DAY_MS);
    machine.pass(2 * 60_000);
    expect(clock.nowMs()).toBe(machine.wallMs);
  });
});

describe('the time by which runs are thinned out, on another machine', () => {
  it('takes no long uptime of it for time that passed', () => {
    const machine = new Machine();
    const { last } = machine.work(undefined, 10);
    machine.boot += 1;
    machine.uptimeMs = 300 * DAY_MS;
    machine.wallMs += 200 * DAY_MS;
    expect(machine.goOn(last).nowMs()).toBeLessThanOrEqual(START_MS + 11 * HOUR_MS);
  });

  it('believes no leap because it has been on for long', () => {
    const machine = new Machine();
    const { last } = machine.work(undefined, 10);
    machine.wallMs += 400 * DAY_MS;
    const { last: doubting } = machine.work(last, 1);
    machine.boot += 1;
    machine.uptimeMs = 300 * DAY_MS;
    machine.wallMs -= 1000;
    const clock = machine.goOn(doubting);
    expect(clock.nowMs()).toBeLessThanOrEqual(START_MS + 12 * HOUR_MS);
    machine.pass(GRACE_MS);
    expect(clock.nowMs()).toBe(machine.wallMs);
  });
});

/** Received at a time that nobody set, by a clock that somebody may have set. */
interface Receipt {
  readonly elapsedMs: number;
  readonly wallMs: number;
}

function ageOf({ wallMs }: Receipt, { nowMs, corrections }: RetentionAges): number {
  const found = corrections.find(({ fromMs, toMs }) => wallMs >= fromMs && wallMs <= toMs);
  return nowMs - wallMs - (found?.byMs ?? 0);
}

interface Leap {
  readonly passMs: number;
  readonly setMs: number;
  readonly offMs: number | undefined;
  /** By how much its clock is wrong when it starts again. */
  readonly bootSetMs: number;
}

/** A collector that receives a run at each step, and whose file outlives its processes. */
class Life {
  readonly machine = new Machine();
  readonly receipts: Receipt[] = [];
  elapsedMs = 0;
  offMs = 0;
  private clock = this.machine.goOn(undefined);

  step({ passMs, setMs, offMs, bootSetMs }: Leap): void {
    this.pass(passMs);
    this.machine.wallMs += setMs;
    if (offMs !== undefined) this.restart(offMs, bootSetMs);
    this.clock.nowMs();
    this.receipts.push({ elapsedMs: this.elapsedMs, wallMs: this.machine.wallMs });
  }

  pass(ms: number): void {
    this.machine.pass(ms);
    this.elapsedMs += ms;
  }

  ages(): RetentionAges {
    this.clock.nowMs();
    return this.clock.ages;
  }

  private restart(offMs: number, setMs: number): void {
    this.clock.nowMs();
    const last = JSON.parse(JSON.stringify(this.clock.lastTime)) as RetentionTime;
    this.machine.restart(offMs, setMs);
    this.elapsedMs += offMs + 60_000;
    this.offMs += offMs;
    this.clock = this.machine.goOn(last);
  }
}

const ORDINARY_MS = 30 * DAY_MS;
const leaps = fc.record({
  passMs: fc.integer({ min: 0, max: 20 * DAY_MS }),
  setMs: fc.oneof(
    fc.constant(0),
    fc.integer({ min: -60 * DAY_MS, max: 60 * DAY_MS }),
    fc.integer({ min: -1e12, max: 1e12 }),
  ),
  offMs: fc.option(fc.integer({ min: 0, max: 40 * DAY_MS }), { nil: undefined }),
  bootSetMs: fc.oneof(fc.constant(0), fc.integer({ min: -60 * DAY_MS, max: 0 }), fc.integer({ min: -1e12, max: 0 })),
});

describe('the age of runs, where the clock is set again and again between downtimes', () => {
  it('is never more than the time that passed since, but for steps too small to be seen', () => {
    fc.assert(
      fc.property(fc.array(leaps, { maxLength: 130, size: 'max' }), (steps) => {
        const life = new Life();
        for (const [count, step] of steps.entries()) {
          life.step(step);
          const ages = life.ages();
          for (const receipt of life.receipts) {
            const passedMs = life.elapsedMs - receipt.elapsedMs;
            expect(ageOf(receipt, ages)).toBeLessThanOrEqual(passedMs + (count + 3) * CLOCK_LEAP_MS);
          }
        }
      }),
      { numRuns: 40, endOnFailure: true },
    );
  });

  it('is at last enough for each of them to go', () => {
    fc.assert(
      fc.property(fc.array(leaps, { maxLength: 45, size: 'max' }), (steps) => {
        const life = new Life();
        for (const [count, step] of steps.entries())
          life.step({ ...step, bootSetMs: step.bootSetMs * (count % 3 === 0 ? -1 : 1) });
        let left: readonly Receipt[] = life.receipts;
        for (let day = 0; day * DAY_MS < 2 * ORDINARY_MS + GRACE_MS + 2 * life.offMs + 3 * DAY_MS; day += 1) {
          life.pass(DAY_MS);
          const ages = life.ages();
          left = left.filter((receipt) => ageOf(receipt, ages) < ORDINARY_MS);
        }
        expect(left).toEqual([]);
      }),
      { numRuns: 40, endOnFailure: true },
    );
  });

  it('needs no more than one epoch for nights in which the machine is off', () => {
    const life = new Life();
    for (let night = 0; night < 200; night += 1)
      life.step({ passMs: 10 * HOUR_MS, setMs: 0, offMs: 14 * HOUR_MS, bootSetMs: 0 });
    expect(life.ages().corrections).toEqual([]);
  });
});
