import { buildRecording } from '@reenact/recordings/testing';
import { expect, it } from 'vitest';
import { longestGapMs } from './longest-gap.ts';

it('the longest gap of a run is that in which no call of it went on', () => {
  const children = [
    { label: 'tool:a', startUs: 10_000, endUs: 300_000 },
    { label: 'tool:b', startUs: 20_000, endUs: 30_000 },
    { label: 'tool:c', startUs: 350_000, endUs: 360_000 },
  ] as const;
  const recording = buildRecording({ label: 'agent:a', startUs: 0, endUs: 400_000, children });
  const [root] = recording.roots;
  if (root === undefined) throw new Error('no root');
  expect(longestGapMs(root, recording.crossings)).toBe(50);
});
