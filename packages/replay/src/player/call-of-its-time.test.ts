import { buildRecording } from '@reenact/recordings/testing';
import { describe, expect, it } from 'vitest';
import { callOfItsTime } from './call-of-its-time.ts';

/** Calls that ask the same at these milliseconds, of which those with these numbers are free. */
function chosen(startsMs: readonly number[], freeAt: readonly number[], nowMs: number): number {
  const children = startsMs.map((ms) => ({ label: 'tool:poll' as const, startUs: ms * 1_000, endUs: ms * 1_000 + 1 }));
  const [, ...equal] = buildRecording({ label: 'agent:a', children }).crossings;
  const startUs = (crossing: (typeof equal)[number]): number => (startsMs[equal.indexOf(crossing)] ?? 0) * 1_000;
  const free = equal.filter((_, index) => freeAt.includes(index));
  const found = callOfItsTime({ equal, free, nowUs: nowMs * 1_000, startUs });
  return found === undefined ? -1 : equal.indexOf(found);
}

describe('which of equal calls a timer makes', () => {
  it('is the one of this time, or the latest before that nobody got', () => {
    expect(chosen([100, 200, 300], [1, 2], 200)).toBe(1);
    expect(chosen([100, 200, 300], [1, 2], 201.5)).toBe(1);
    expect(chosen([100, 200, 300], [1, 2], 230)).toBe(1);
    expect(chosen([100, 200, 300], [0, 2], 230)).toBe(0);
  });

  it('is the next one where that is nearer than the one before: its timer came late', () => {
    expect(chosen([100, 209, 300], [1, 2], 200)).toBe(1);
    expect(chosen([100, 260, 300], [1, 2], 170)).toBe(-1);
    expect(chosen([100], [0], 50)).toBe(-1);
  });
});
