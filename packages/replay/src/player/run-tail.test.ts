import { describe, expect, it } from 'vitest';
import { RUN_TAIL_MS, TAIL_REST_MS } from '../limits.ts';
import { RunTail } from './run-tail.ts';

/** A run that has ended, and what is still to come of it. */
class EndedRun {
  hasLeft = true;
  isUnderWay = false;
  holds = false;
  isWorking = false;
  nowMs = 0;
  private readonly tail: RunTail;

  constructor() {
    const run = this;
    this.tail = new RunTail({
      lookUp: this,
      schedule: {
        get isUnderWay() {
          return run.isUnderWay;
        },
        holdsProcess: () => run.holds,
      },
      isWorking: () => this.isWorking,
      nowMs: () => this.nowMs,
    });
  }

  /** Whether it is over after so much more time. */
  isOverAfter(ms: number): boolean {
    this.nowMs += ms;
    return this.tail.isOver();
  }
}

describe('the tail of a run', () => {
  it('is over a moment after all of it was called, whatever timers the process has', () => {
    const run = new EndedRun();
    run.hasLeft = false;
    run.holds = true;
    expect(run.isOverAfter(0)).toBe(false);
    expect(run.isOverAfter(RUN_TAIL_MS - 1)).toBe(false);
    expect(run.isOverAfter(1)).toBe(true);
  });

  it('is over where calls are missing and nothing is under way that could lead to them', () => {
    const run = new EndedRun();
    expect(run.isOverAfter(0)).toBe(false);
    expect(run.isOverAfter(TAIL_REST_MS - 1)).toBe(false);
    expect(run.isOverAfter(1)).toBe(true);
  });

  it.each(['isUnderWay', 'holds', 'isWorking'] as const)('goes on while it %s, and for a while after', (what) => {
    const run = new EndedRun();
    expect(run.isOverAfter(0)).toBe(false);
    run[what] = true;
    expect(run.isOverAfter(10 * TAIL_REST_MS)).toBe(false);
    run[what] = false;
    expect(run.isOverAfter(TAIL_REST_MS)).toBe(false);
    expect(run.isOverAfter(TAIL_REST_MS)).toBe(true);
  });
});
