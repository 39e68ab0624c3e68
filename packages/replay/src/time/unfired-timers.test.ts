import { recordedTimeline } from '@reenact/recordings';
import { buildRecording } from '@reenact/recordings/testing';
import { describe, expect, it } from 'vitest';
import type { RecordedTimer } from './recorded/timer-place.ts';
import { callAtOnce } from './schedule/call-timer.ts';
import { ReleaseSchedule } from './schedule/release-schedule.ts';

/** A run of one second with a call that ended after 600 ms, and timers that are set before it is entered, or in it. */
function stage() {
  const recording = buildRecording({
    label: 'agent:a',
    startUs: 0,
    endUs: 1_000_000,
    children: [{ label: 'tool:late', startUs: 500_000, endUs: 600_000 }],
  });
  const [root, late] = recording.crossings;
  if (root === undefined || late === undefined) throw new TypeError('a recording has a root and its call');
  const schedule = new ReleaseSchedule(recordedTimeline(root, recording.crossings), { endUs: 1_000_000 });
  const seen: string[] = [];
  const arm = (name: string, delayMs: number, isHolding: boolean, recorded: RecordedTimer) => {
    const call = { self: schedule, callback: () => seen.push(name), parameters: [] };
    return schedule.arm({ delayMs, isHolding, recorded, fire: (began) => callAtOnce(call, began) });
  };
  return { schedule, root, late, seen, arm };
}

/** Seen last in the 200th millisecond of the run, when it had not fired. */
const unfired: RecordedTimer = { hasFired: false, timeUs: 200_000, order: 0 };

describe('a timer that had not fired when it was last seen', () => {
  it('is due by its delay also where it was set before the run', async () => {
    const { schedule, root, late, seen, arm } = stage();
    arm('timer', 900, true, unfired);
    schedule.enterRun(root);
    schedule.made(late, false);
    const answered = schedule.releaseOf(late, () => undefined).settle();
    await answered.then(() => seen.push('answer'));
    expect(seen).toEqual(['answer']);
  });

  it('does not keep the process by itself, for nobody knows that it was there when it was due', () => {
    const { schedule, root, arm } = stage();
    schedule.enterRun(root);
    const first = arm('timer', 300, false, unfired);
    expect(schedule.holdsProcess()).toBe(false);
    arm('later', 400, false, { hasFired: true, timeUs: 400_000, order: 0 });
    expect(schedule.holdsProcess()).toBe(true);
    first.cancel();
    expect(schedule.holdsProcess()).toBe(true);
  });
});
