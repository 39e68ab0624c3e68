import { buildRecording } from '@reenact/recordings/testing';
import type { Crossing } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { REST_LEAD_MS } from '../limits.ts';
import { mayHaveRested, whenRested } from './when-rested.ts';

describe('a process that was asked something', () => {
  const recording = buildRecording({ label: 'agent:a' });
  const root = recording.roots[0] as Crossing;
  const rootMs = Number(root.startTimeUnixNano / 1_000_000n);

  it('had not rested where it had read a clock for the first time a moment before', () => {
    const read = { ...root, processDraws: { 'Date.now': [rootMs - 1_000, 1] } };
    expect(mayHaveRested(recording, read, 900 - REST_LEAD_MS)).toBe(true);
    expect(mayHaveRested(recording, read, 1_100 - REST_LEAD_MS)).toBe(false);
  });

  it('is taken to have rested where nothing says when it began', () => {
    expect(mayHaveRested(recording, root, 0)).toBe(true);
  });
});

describe('a process that is at work', () => {
  it('is waited for until it rests, which a moment does not say in which it waits for a file', async () => {
    const busy = [0, 0.9, 0.2, 0.6, 0.2, 0.3, 0.9];
    await new Promise<void>((resolve) => whenRested(resolve, () => busy.shift() ?? 1));
    expect(busy).toEqual([0.9]);
  });

  it('and never rests is waited for as long as its own work takes, not by the clock of a busy machine', async () => {
    const workedMs = [5_000, 5_100, 5_200, 14_900, 15_001, 20_000];
    const rested = new Promise<void>((resolve) =>
      whenRested(
        resolve,
        () => 1,
        () => workedMs.shift() ?? 0,
      ),
    );
    await rested;
    expect(workedMs).toEqual([20_000]);
  });
});
