import { pristine } from '@reenact/instrumentation';
import { recordedTimeline } from '@reenact/recordings';
import { buildRecording } from '@reenact/recordings/testing';
import { describe, expect, it } from 'vitest';
import { callAtOnce } from './schedule/call-timer.ts';
import { ExpectedCalls } from './schedule/expected-calls.ts';
import { PACES, type Pace } from './schedule/pace.ts';
import { ReleaseSchedule } from './schedule/release-schedule.ts';

/** A run whose agent makes one call. */
function calling(pace: Pace) {
  const recording = buildRecording({
    label: 'agent:a',
    startUs: 0,
    endUs: 1_000_000,
    children: [{ label: 'tool:call', startUs: 20_000, endUs: 25_000, settled: 0 }],
  });
  const [root, call] = recording.crossings;
  if (root === undefined || call === undefined) throw new TypeError('a recording has a root and a call');
  const timeline = recordedTimeline(root, recording.crossings);
  const schedule = new ReleaseSchedule(timeline, { pace, expected: new ExpectedCalls(recording, timeline) });
  schedule.enterRun(root);
  const makeCall = async (): Promise<void> => {
    const release = schedule.releaseOf(call, () => undefined);
    schedule.made(call, false);
    await release.settle();
    schedule.over(call);
  };
  return { schedule, makeCall };
}

const late = (): Promise<void> => new Promise((resolve) => pristine.setTimeout(resolve, 400));

/** What the agent hears of where it makes its call 400 ms after it had made it, unless it never comes to it. */
async function heard(pace: Pace, come: (schedule: ReleaseSchedule) => Promise<void>, calls = true): Promise<string[]> {
  const { schedule, makeCall } = calling(pace);
  const seen: string[] = [];
  const came = come(schedule).then(() => seen.push('came'));
  await late();
  if (calls) {
    seen.push('called');
    await makeCall();
    seen.push('answered');
  }
  await came;
  return seen;
}

const delivered = (schedule: ReleaseSchedule): Promise<void> => schedule.dueAt(40_000);

/** A timer of the agent's whose place is recorded, or one of which nothing is known. */
function timed(isKnown: boolean): (schedule: ReleaseSchedule) => Promise<void> {
  const recorded = isKnown ? { hasFired: true, timeUs: 40_000, order: 1 } : undefined;
  return (schedule) =>
    new Promise((resolve) => {
      const call = { self: schedule, callback: () => resolve(), parameters: [] };
      schedule.arm({ delayMs: 40, isHolding: true, recorded, fire: (began) => callAtOnce(call, began) });
    });
}

describe.each(PACES)('an agent that is late for a call, at %s pace', (pace) => {
  it('gets what came after that call after it, not when the recorded time is over', async () => {
    expect(await heard(pace, delivered)).toEqual(['called', 'answered', 'came']);
  });

  it('hears of its own timers after that call where they are recorded to fire after it', async () => {
    expect(await heard(pace, timed(true))).toEqual(['called', 'answered', 'came']);
  });

  it('waits no longer than they say for those of which nothing is recorded', async () => {
    expect(await heard(pace, timed(false))).toEqual(['came', 'called', 'answered']);
  });

  it('gets it all the same where it never comes to that call', async () => {
    expect(await heard(pace, delivered, false)).toEqual(['came']);
  });

  it('gets what came between that call and its answer between them', async () => {
    const { schedule, makeCall } = calling(pace);
    const seen: string[] = [];
    await late();
    const answered = makeCall().then(() => seen.push('answered'));
    const came = schedule.dueAt(22_000).then(() => seen.push('came'));
    await Promise.all([answered, came]);
    expect(seen).toEqual(['came', 'answered']);
  });
});
