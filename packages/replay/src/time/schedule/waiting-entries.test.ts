import { describe, expect, it } from 'vitest';
import type { TimerPlace } from '../recorded/timer-place.ts';
import type { ScheduleEntry } from './schedule-entry.ts';
import { WaitingEntries } from './waiting-entries.ts';

function timer(isHolding = true): TimerPlace {
  return { isHolding, isOver: false } as TimerPlace;
}

function entry(timeUs: number, ofTimer?: TimerPlace): ScheduleEntry {
  return { timeUs, tie: 0, added: 0, ...(ofTimer === undefined ? {} : { timer: ofTimer }) } as ScheduleEntry;
}

describe('what waits in a schedule', () => {
  it('holds the process for recorded outcomes, and for timers that hold it', () => {
    const waiting = new WaitingEntries();
    expect(waiting.holdsProcess).toBe(false);
    waiting.add(entry(5, timer(false)));
    expect([waiting.holdsProcess, waiting.hasRecorded]).toEqual([false, false]);
    const held = timer();
    waiting.add(entry(6, held));
    expect([waiting.holdsProcess, waiting.hasRecorded]).toEqual([true, false]);
    waiting.hold(held, false);
    expect(waiting.holdsProcess).toBe(false);
    waiting.add(entry(1));
    expect([waiting.holdsProcess, waiting.hasRecorded]).toEqual([true, true]);
    waiting.pop();
    waiting.given();
    expect(waiting.holdsProcess).toBe(false);
  });

  it('passes over timers that were cancelled, and takes them out once they are many', () => {
    const waiting = new WaitingEntries();
    const timers = Array.from({ length: 100 }, () => timer());
    for (const [index, one] of timers.entries()) waiting.add(entry(index, one));
    const last = entry(1_000);
    waiting.add(last);
    for (const one of timers.slice(0, 50)) waiting.cancel(one);
    expect(waiting.size).toBe(101);
    expect(waiting.firstWaiting()?.timer).toBe(timers[50]);
    expect(waiting.size).toBe(51);
    for (const one of timers.slice(50)) waiting.cancel(one);
    expect(waiting.firstWaiting()).toBe(last);
    expect(waiting.size).toBe(1);
  });

  it('lets go of all timers, and of the process with them, but for one that fires', () => {
    const waiting = new WaitingEntries();
    const firing = timer();
    waiting.add(entry(1, firing));
    waiting.add(entry(2, timer()));
    const cancelled = timer();
    waiting.add(entry(3, cancelled));
    waiting.cancel(cancelled);
    waiting.pop();
    expect(waiting.dropTimers()).toHaveLength(2);
    expect(waiting.holdsProcess).toBe(true);
    waiting.over(firing);
    expect(waiting.holdsProcess).toBe(false);
  });
});
