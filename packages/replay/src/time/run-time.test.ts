import { recordedTimeline } from '@reenact/recordings';
import { buildRecording } from '@reenact/recordings/testing';
import { describe, expect, it } from 'vitest';
import type { ReplayEvent } from '../events/replay-event.ts';
import { drawAttributes } from '../testdata/virtual-run.ts';
import { RunTime } from './run-time.ts';
import { ReleaseSchedule } from './schedule/release-schedule.ts';
import { RunClock } from './schedule/run-clock.ts';

describe('code outside of the run', () => {
  it('is told about once, as what was never recorded and not as drawn more often', () => {
    const recording = buildRecording({
      label: 'agent:service',
      startUs: 0,
      endUs: 1_000_000,
      children: [],
      attributes: drawAttributes({ 'Math.random': [0.5] }),
    });
    const [root] = recording.roots;
    if (root === undefined) throw new TypeError('A recording has a root.');
    const notes: ReplayEvent[] = [];
    const time = new RunTime({
      recording,
      rootSpanId: root.spanId,
      clock: new RunClock(root.startTimeUnixNano),
      schedule: new ReleaseSchedule(recordedTimeline(root, recording.crossings)),
      sink: { write: (event) => void notes.push(event) },
    });
    // The start of a service: its framework measures, and draws ids.
    for (let step = 0; step < 3; step += 1) {
      expect(time.random(undefined)).not.toBe(0.5);
      time.readDate(undefined, 'Date');
      time.randomBytes(undefined, 4);
    }
    expect(notes).toEqual([
      { type: 'note', text: expect.stringMatching(/^Outside the run no clock reads/), unverified: false },
    ]);
  });
});
