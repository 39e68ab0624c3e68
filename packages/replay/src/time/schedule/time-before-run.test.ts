import { recordedTimeline } from '@reenact/recordings';
import { describe, expect, it, vi } from 'vitest';
import { SET_UP_FIRED_MAX } from '../../limits.ts';
import { recordingWithSetUp, SET_UP_BEFORE_US } from '../../testdata/recording-with-set-up.ts';
import type { TimerPlace } from '../recorded/timer-place.ts';
import { OrderedHeap } from './ordered-heap.ts';
import { RunClock } from './run-clock.ts';
import type { ScheduleEntry } from './schedule-entry.ts';
import { SetUpToCome } from './set-up-to-come.ts';
import { TimeBeforeRun } from './time-before-run.ts';

const second = 1_000_000;
const poll = { label: 'tool:settings' as const, input: '[]' };

/** A process that polled at these seconds of its life, with timers that are due at those times. */
function processPolling(secondsOfPolls: readonly number[], secondsOfRequests: readonly number[] = []) {
  const calls = secondsOfPolls.map((at) => ({ ...poll, startUs: at * second, endUs: at * second + 1_000 }));
  const recording = recordingWithSetUp({ label: 'agent:a', startUs: 0, endUs: 1_000 }, calls);
  const [root] = recording.roots;
  const setUp = root === undefined ? undefined : recording.setUps.get(root.spanId);
  if (root === undefined || setUp === undefined) throw new TypeError('it has both');
  const timeline = recordedTimeline(root, recording.crossings);
  const requests = secondsOfRequests.map((at) => ({
    ...root,
    startTimeUnixNano: root.startTimeUnixNano + BigInt(at * second - SET_UP_BEFORE_US) * 1_000n,
  }));
  const toCome = SetUpToCome.of(setUp, timeline, requests);
  const heap = new OrderedHeap<ScheduleEntry>();
  const clock = new RunClock(root.startTimeUnixNano);
  clock.beginAt(-SET_UP_BEFORE_US);
  const time = new TimeBeforeRun({ clock, heap, toCome });
  const [, ...made] = setUp.crossings;
  const timerAt = (at: number): ScheduleEntry => {
    const timeUs = at * second - SET_UP_BEFORE_US;
    const entry = {
      timeUs,
      readUs: 0,
      tie: 0,
      added: 0,
      release: () => undefined,
      patienceEndsMs: 0,
      timer: { ...place },
    };
    heap.push(entry);
    return entry;
  };
  return { time, made, timerAt, toCome };
}

/** Of a timer of which nothing is recorded. */
const place: TimerPlace = {
  setUs: Number.NEGATIVE_INFINITY,
  realDueMs: 0,
  recorded: undefined,
  deliveredUs: undefined,
  isWork: false,
  isShared: false,
  dropped: undefined,
  isHolding: true,
  isOver: false,
};

function leap(time: TimeBeforeRun): void {
  const { nextUs } = time;
  if (nextUs === undefined) throw new TypeError('one is to come');
  time.leapToNext(nextUs);
}

describe('time before a run', () => {
  it('passes by itself where nothing was called twice', () => {
    const { time, made, timerAt, toCome } = processPolling([1]);
    expect(toCome).toBeUndefined();
    timerAt(30);
    const [first] = made;
    if (first !== undefined) time.made(first);
    time.leap(second - SET_UP_BEFORE_US);
    expect(time.nextUs).toBeUndefined();
    expect(time.timerRestMs(0, place, false)).toBeUndefined();
  });

  it('stands between calls, leaps to the next, and has due once what is due by then', () => {
    const { time, made, timerAt } = processPolling([1, 31, 61]);
    if (made[0] !== undefined) time.made(made[0]);
    time.leap(second - SET_UP_BEFORE_US);
    const [later, sweep] = [timerAt(31), timerAt(2)];
    expect(time.timerRestMs(later.timeUs, place, false)).toBeGreaterThan(0);
    leap(time);
    for (const { timeUs } of [sweep, later]) expect(time.timerRestMs(timeUs, place, false)).toBe(0);
    expect(time.timerRestMs(61 * second - SET_UP_BEFORE_US, place, false)).toBeGreaterThan(0);
    expect(time.callsUs).toBe(31 * second - SET_UP_BEFORE_US);
  });

  it('stands where a timer fires that is due before that call, for what that sets', () => {
    const { time, made, timerAt } = processPolling([1, 31]);
    if (made[0] !== undefined) time.made(made[0]);
    time.leap(second - SET_UP_BEFORE_US);
    const sweep = timerAt(2);
    leap(time);
    time.pass(sweep.timeUs, sweep.timer);
    expect(time.orderUs).toBe(2 * second - SET_UP_BEFORE_US);
    expect(time.placeOf(3 * second - SET_UP_BEFORE_US, place)).toBe(3 * second - SET_UP_BEFORE_US);
    // For days nothing fires so often.
    for (let index = 0; index < SET_UP_FIRED_MAX; index += 1) time.pass(sweep.timeUs, sweep.timer);
    expect(time.placeOf(3 * second - SET_UP_BEFORE_US, place)).toBeGreaterThan(31 * second - SET_UP_BEFORE_US);
  });

  it('takes a call behind an answer for the next that is to come, however long the process took until then', () => {
    const { time, made, timerAt } = processPolling([1, 2, 31]);
    const [first, next] = made;
    if (first === undefined || next === undefined) throw new TypeError('it has both');
    time.made(first);
    time.leap(second - SET_UP_BEFORE_US);
    time.pass(second + 1_000 - SET_UP_BEFORE_US, undefined);
    expect(time.callsUs).toBe(2 * second - SET_UP_BEFORE_US);
    time.made(next);
    time.leap(2 * second - SET_UP_BEFORE_US);
    time.pass(timerAt(10).timeUs, timerAt(10).timer);
    expect(time.callsUs).toBe(10 * second - SET_UP_BEFORE_US);
    // What is answered with an earlier call again comes behind the timer all the same.
    time.pass(2 * second + 1_000 - SET_UP_BEFORE_US, undefined);
    expect(time.callsUs).toBe(10 * second - SET_UP_BEFORE_US);
  });

  it('lets a timer fire that is due before an answer which is on its way', () => {
    const { time, made, timerAt } = processPolling([1, 31]);
    const guard = timerAt(6);
    if (made[0] !== undefined) time.made(made[0]);
    time.leap(second - SET_UP_BEFORE_US);
    expect(time.timerRestMs(guard.timeUs, place, true)).toBe(0);
  });
});

describe('time before a run on a machine whose timers come late', () => {
  const at = (seconds: number): number => seconds * second - SET_UP_BEFORE_US;

  it('moves no timer by how late another was, and as much as that one those which were set with it', () => {
    const { time, made, timerAt } = processPolling([1, 31, 61]);
    if (made[0] !== undefined) time.made(made[0]);
    time.leap(at(1));
    const [fired, beside, earlier, since] = [timerAt(31), timerAt(40), timerAt(50), timerAt(60)];
    Object.assign(fired.timer ?? {}, { setUs: at(1) });
    Object.assign(beside.timer ?? {}, { setUs: at(1) });
    leap(time);
    time.pass(fired.timeUs, fired.timer);
    Object.assign(since.timer ?? {}, { setUs: time.orderUs });
    time.leap(at(31.5));
    expect([beside.timeUs, earlier.timeUs, since.timeUs]).toEqual([at(40.5), at(50), at(60.5)]);
    time.leap(at(32));
    expect([earlier.timeUs, since.timeUs]).toEqual([at(50), at(60.5)]);
  });

  it('has a timer fire where it fired, as soon as no call is to come before', () => {
    const { time, made, timerAt } = processPolling([1, 31]);
    if (made[0] !== undefined) time.made(made[0]);
    time.leap(at(1));
    const recorded = { hasFired: true, timeUs: at(30.9), order: 7, isOutside: true };
    const placed = { ...place, recorded };
    expect(time.placeOf(at(30), placed)).toBe(at(30.9));
    const entry = timerAt(30.9);
    Object.assign(entry.timer ?? {}, { recorded });
    expect(time.timerRestMs(entry.timeUs, placed, false)).toBe(0);
    expect(time.timerRestMs(at(31.1), placed, false)).toBeGreaterThan(0);
    time.leap(at(2));
    expect(entry.timeUs).toBe(at(30.9));
    // Not for days, either.
    for (let index = 0; index <= SET_UP_FIRED_MAX; index += 1) time.pass(at(2), placed);
    expect(time.placeOf(at(30), placed)).toBeGreaterThan(at(31));
    time.made(made[0] as (typeof made)[number]);
    // Its number there says nothing of the order of a run.
    expect(time.placeOf(at(30), { ...place, recorded: { ...recorded, isOutside: false } })).toBe(at(30));
  });

  it('gives an answer that came when the run had begun in the run', () => {
    const { time, made } = processPolling([1, 31]);
    expect(time.answerRestMs(1_000)).toBe(0);
    if (made[0] !== undefined) time.made(made[0]);
    time.leap(at(1));
    expect(time.answerRestMs(-1_000)).toBe(0);
    expect(time.answerRestMs(1_000)).toBeGreaterThan(0);
    // A timer that guards that call has its place behind the start of the run, too.
    expect(time.timerRestMs(500, place, true)).toBeGreaterThan(0);
  });
});

describe('time before a run whose process does not do what it did', () => {
  it('takes the timer that is due a little later for the one whose call is due, where none has made that', () => {
    const { time, made, timerAt } = processPolling([1, 31, 61]);
    if (made[0] !== undefined) time.made(made[0]);
    time.leap(second - SET_UP_BEFORE_US);
    const late = timerAt(31.05);
    leap(time);
    expect(time.timerRestMs(late.timeUs, place, false)).toBeGreaterThan(0);
    expect(time.triesNext()).toBe(true);
    expect(time.timerRestMs(late.timeUs, place, false)).toBe(0);
    // Once for each call.
    expect(time.triesNext()).toBe(false);
  });

  it('keeps recorded places where the run is entered, and real delays where nothing was polled', () => {
    const polling = processPolling([1, 31]);
    polling.timerAt(32);
    if (polling.made[0] !== undefined) polling.time.made(polling.made[0]);
    polling.time.leap(second - SET_UP_BEFORE_US);
    leap(polling.time);
    leap(polling.time);
    expect(polling.time.nextUs).toBeUndefined();
    expect(polling.time.enter(0)).toBe(0);
    expect(processPolling([1]).time.enter(0)).toBeGreaterThan(0);
  });

  it('looks some times whether the process is at work before it passes a call that nobody makes, and then none behind it', () => {
    const { time, timerAt } = processPolling([1, 31, 61]);
    timerAt(1_000);
    const rests = Array.from({ length: 6 }, () => time.restMs(1_000));
    expect(rests.filter((restMs) => restMs > 0)).toHaveLength(4);
    expect(rests.at(-1)).toBe(0);
    leap(time);
    expect(time.restMs(1_000)).toBe(0);
  });
});

describe('the end of time before a run', () => {
  it('is over when nothing but what comes in the run waits, and says so once', () => {
    const { time, made, timerAt } = processPolling([1, 31]);
    const told = vi.fn<() => void>();
    time.onceOver(told);
    for (const call of made) time.made(call);
    time.leap(31 * second - SET_UP_BEFORE_US);
    const beat = timerAt(40);
    expect(time.timerRestMs(beat.timeUs, place, false)).toBeGreaterThan(0);
    leap(time);
    expect(time.timerRestMs(beat.timeUs, place, false)).toBe(0);
    expect(told).not.toHaveBeenCalled();
    for (let index = 0; index < 2; index += 1) time.timerRestMs(second, place, false);
    expect(told).toHaveBeenCalledOnce();
  });

  it('is over where nothing waits once all was called', () => {
    const { time, made } = processPolling([1, 31]);
    const told = vi.fn<() => void>();
    time.onceOver(told);
    time.leap(second - SET_UP_BEFORE_US);
    time.restsIdle();
    expect(told).not.toHaveBeenCalled();
    for (const call of made) time.made(call);
    time.restsIdle();
    expect(told).toHaveBeenCalledOnce();
  });
});

describe('time before a run with other requests before it', () => {
  it('leaps to a request that is replayed before the run, which no timer begins', () => {
    const { time, made, timerAt } = processPolling([1, 31, 61], [40]);
    for (const call of made.slice(0, 2)) time.made(call);
    time.leap(31 * second - SET_UP_BEFORE_US);
    const beat = timerAt(39.5);
    const requestUs = 40 * second - SET_UP_BEFORE_US;
    expect(time.hasCallBefore(requestUs)).toBe(false);
    leap(time);
    expect(time.timerRestMs(beat.timeUs, place, false)).toBe(0);
    expect(time.triesNext()).toBe(false);
    expect(time.restMs(0)).toBe(0);
    expect(time.nextUs).toBe(61 * second - SET_UP_BEFORE_US);
  });
});
