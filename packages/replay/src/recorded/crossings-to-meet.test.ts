import { describe, expect, it } from 'vitest';
import { recordingWithSetUp } from '../testdata/recording-with-set-up.ts';
import { crossingsToMeet } from './crossings-to-meet.ts';

const run = { label: 'agent:a', startUs: 0, endUs: 1_000 } as const;
const poll = { label: 'tool:settings', input: '[]', startUs: 10, endUs: 20 } as const;

describe('what a replay may meet', () => {
  it('is the run, what its process did before it, and the runs that are replayed with it', () => {
    const recording = recordingWithSetUp(run, [poll, poll]);
    const spanId = recording.roots[0]?.spanId ?? '';
    const ofRun = recording.crossings.length;
    // The run of the process, and its two calls.
    expect(crossingsToMeet(recording, spanId)).toBe(ofRun + 3);
    const other = { ...recording, setUps: new Map() };
    expect(crossingsToMeet({ ...other, runsBeside: [other, other] }, spanId)).toBe(3 * ofRun);
  });
});
