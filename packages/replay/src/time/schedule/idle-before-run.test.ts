import { describe, expect, it } from 'vitest';
import {
  IDLE_BEFORE_FIRED_MAX,
  IDLE_BEFORE_LOOK_MS,
  IDLE_BEFORE_LOOKS,
  IDLE_BEFORE_START_LOOKS,
} from '../../limits.ts';
import { IdleBeforeRun } from './idle-before-run.ts';
import { OrderedHeap } from './ordered-heap.ts';
import { RealWork } from './real-work.ts';
import type { ScheduleEntry } from './schedule-entry.ts';

const hourMs = 3_600_000;

/** A process in which timers are due in one and in two hours, and something recorded comes in three. */
function waiting(active: { names: string[]; runs: number } = { names: ['Timeout', 'TCPServerWrap'], runs: 0 }) {
  const heap = new OrderedHeap<ScheduleEntry>();
  const entries = [1, 2, 3].map((hours): ScheduleEntry => {
    const timer = {
      setUs: 0,
      realDueMs: 0,
      recorded: undefined,
      deliveredUs: undefined,
      isWork: false,
      isShared: false,
      dropped: undefined,
      isHolding: true,
      isOver: false,
    };
    const entry = { timeUs: hours * hourMs * 1_000, readUs: 0, tie: 0, added: 0, release: () => undefined };
    return { ...entry, patienceEndsMs: 0, ...(hours === 3 ? {} : { timer }) };
  });
  for (const entry of entries) heap.push(entry);
  const openRuns = {
    get count(): number {
      return active.runs;
    },
  };
  let now = 0;
  const idle = new IdleBeforeRun({ openRuns, realWork: new RealWork(() => active.names), nowMs: () => now });
  const looksUntilFired = (everyMs = IDLE_BEFORE_LOOK_MS): number => {
    for (let looks = 0; looks < 1_000; looks += 1) {
      now += everyMs;
      if (idle.restMs(hourMs, heap) === 0) return looks;
    }
    return Number.POSITIVE_INFINITY;
  };
  return { idle, heap, entries, active, looksUntilFired };
}

describe('a process that waits for its run', () => {
  it('has its first timer fire early, and the others so much nearer, once it does nothing', () => {
    const { entries, heap, looksUntilFired } = waiting();
    expect(looksUntilFired()).toBe(IDLE_BEFORE_START_LOOKS);
    expect(entries.map(({ timeUs }) => timeUs / hourMs / 1_000)).toEqual([0, 1, 3]);
    expect(heap.first).toBe(entries[0]);
  });

  it('is not looked at as long again, and not at all between timers in a row, of which there is an end', () => {
    const { idle, looksUntilFired } = waiting();
    looksUntilFired();
    for (let fired = 1; fired <= IDLE_BEFORE_FIRED_MAX; fired += 1) expect(looksUntilFired()).toBe(0);
    expect(looksUntilFired()).toBe(IDLE_BEFORE_LOOKS);
    idle.happened();
    expect(looksUntilFired()).toBe(IDLE_BEFORE_LOOKS);
  });

  it.each([
    ['another run goes on', { names: ['Timeout'], runs: 1 }],
    ['it reads a file', { names: ['Timeout', 'FSReqPromise'], runs: 0 }],
    ['it has a connection', { names: ['Timeout', 'TCPSocketWrap'], runs: 0 }],
    ['it has started a program', { names: ['Timeout', 'ProcessWrap'], runs: 0 }],
  ])('waits as long as its timer says where %s', (_what, active) => {
    const { entries, looksUntilFired, active: now } = waiting(active);
    expect(looksUntilFired()).toBe(Number.POSITIVE_INFINITY);
    expect(entries[0]?.timeUs).toBe(hourMs * 1_000);
    Object.assign(now, { names: ['Timeout'], runs: 0 });
    expect(looksUntilFired()).toBeLessThanOrEqual(IDLE_BEFORE_START_LOOKS);
  });

  it('is looked at as long where it sets timers meanwhile, or one of its timers beats', () => {
    const { looksUntilFired } = waiting();
    expect(looksUntilFired(1)).toBeGreaterThanOrEqual(IDLE_BEFORE_START_LOOKS * IDLE_BEFORE_LOOK_MS);
  });

  it('is never looked at later than its timer is due', () => {
    const { idle, heap } = waiting();
    expect(idle.restMs(3, heap)).toBe(3);
  });
});
