import { describe, expect, it } from 'vitest';
import type { RetentionAges } from '../store/store.ts';
import { RetentionClock, type RetentionTime } from './retention-clock.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.UTC(2026, 10, 22);

/** A machine that is started again with a clock that is wrong until somebody sets it. */
class Machine {
  wallMs = START_MS;
  uptimeMs = 5_000;
  boot: string | undefined = '1';
  private last: RetentionTime | undefined;
  private clock = this.start();

  start(): RetentionClock {
    const clocks = { wallMs: () => this.wallMs, uptimeMs: () => this.uptimeMs, boot: () => this.boot };
    this.clock = new RetentionClock({ last: this.last, graceMs: 7 * DAY_MS, onLeap: () => undefined, clocks });
    return this.clock;
  }

  pass(ms: number): void {
    this.wallMs += ms;
    this.uptimeMs += ms;
  }

  set(ms: number): void {
    this.wallMs += ms;
    this.clock.nowMs();
  }

  /** On again with another clock. */
  restart(wallMs: number, uptimeMs = 5_000): void {
    this.clock.nowMs();
    this.last = JSON.parse(JSON.stringify(this.clock.lastTime)) as RetentionTime;
    if (this.boot !== undefined) this.boot = `${Number(this.boot) + 1}`;
    this.uptimeMs = uptimeMs;
    this.wallMs = wallMs;
    this.start();
  }

  ageOf(receivedMs: number): number {
    this.clock.nowMs();
    return age(receivedMs, this.clock.ages);
  }
}

function age(receivedMs: number, { nowMs, corrections }: RetentionAges): number {
  const found = corrections.find(({ fromMs, toMs }) => receivedMs >= fromMs && receivedMs <= toMs);
  return nowMs - receivedMs - (found?.byMs ?? 0);
}

describe('what a machine received that was started with a wrong clock', () => {
  it('is no younger for years where that was years ahead and is set right', () => {
    const machine = new Machine();
    machine.pass(DAY_MS);
    machine.restart(machine.wallMs + 20 * 365 * DAY_MS);
    machine.pass(HOUR_MS);
    const receivedMs = machine.wallMs;
    machine.pass(HOUR_MS);
    machine.set(-20 * 365 * DAY_MS);
    machine.pass(31 * DAY_MS);
    expect(machine.ageOf(receivedMs)).toBeGreaterThan(30 * DAY_MS);
  });

  it('is no older where a clock that was years ahead is set right, and set ahead by days later', () => {
    const machine = new Machine();
    const receivedMs = machine.wallMs;
    machine.pass(DAY_MS);
    machine.restart(machine.wallMs + 20 * 365 * DAY_MS);
    machine.pass(HOUR_MS);
    const receivedAheadMs = machine.wallMs;
    machine.set(-20 * 365 * DAY_MS);
    machine.pass(HOUR_MS);
    machine.set(5 * DAY_MS);
    expect(machine.ageOf(receivedMs)).toBeLessThan(2 * DAY_MS);
    expect(machine.ageOf(receivedMs)).toBeGreaterThanOrEqual(0);
    expect(machine.ageOf(receivedAheadMs)).toBeLessThan(DAY_MS);
  });

  it('makes nothing older that is received later, at times which the wrong clock had shown, too', () => {
    const machine = new Machine();
    machine.pass(DAY_MS);
    machine.restart(machine.wallMs + 3 * DAY_MS);
    machine.pass(DAY_MS);
    machine.set(-3 * DAY_MS);
    machine.pass(3 * DAY_MS);
    const receivedMs = machine.wallMs;
    machine.pass(HOUR_MS);
    expect(machine.ageOf(receivedMs)).toBe(HOUR_MS);
  });

  it('is no younger by years where each of many starts has a clock that is years behind until it is set right', () => {
    const machine = new Machine();
    const receivedMs = machine.wallMs;
    let onMs = 0;
    for (let day = 0; day < 150; day += 1) {
      const rightMs = machine.wallMs;
      machine.restart(0);
      machine.pass(60_000);
      machine.set(rightMs - machine.wallMs + 14 * HOUR_MS);
      machine.pass(10 * HOUR_MS);
      onMs += 10 * HOUR_MS;
    }
    expect(machine.ageOf(receivedMs)).toBeGreaterThan(onMs - 10 * DAY_MS);
    expect(machine.ageOf(receivedMs)).toBeLessThan(150 * DAY_MS);
  });
});

describe('a system that names none of its starts', () => {
  it('has no downtime taken for a clock that was set where it has been on for longer than before it', () => {
    const machine = new Machine();
    machine.boot = undefined;
    const receivedMs = machine.wallMs;
    machine.pass(60_000);
    machine.restart(machine.wallMs + 40 * DAY_MS, HOUR_MS);
    machine.pass(8 * DAY_MS);
    expect(machine.ageOf(receivedMs)).toBeGreaterThan(47 * DAY_MS);
  });
});
