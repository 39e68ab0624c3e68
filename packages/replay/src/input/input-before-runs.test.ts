import type { InputPiece } from '@reenact/trace-model';
import { beforeEach, describe, expect, it } from 'vitest';
import { INPUT_QUIET_LOOKS, INPUT_QUIET_MS_MAX, INPUT_RUN_MS_MAX } from '../limits.ts';
import { GivenInput } from './given-input.ts';
import { InputBeforeRuns } from './input-before-runs.ts';

let nowMs: number;
let isBusy: boolean;
let isQuiet: boolean;
let hasTimers: boolean;
let leftWaiting: number;
let begun: Set<number>;
let heard: string;

beforeEach(() => {
  nowMs = 0;
  isBusy = false;
  isQuiet = true;
  hasTimers = false;
  leftWaiting = 0;
  begun = new Set();
  heard = '';
});

/** A program that reads, and is to begin a run for each list of pieces. */
function reading(...before: (readonly InputPiece[])[]): { readonly look: (times?: number) => Promise<string> } {
  const given = new GivenInput(before.flat());
  const runs = before.map((pieces, index) => ({
    pieces: pieces.map((piece) => ({ piece, afterMs: 700 })),
    hasBegun: () => begun.has(index),
  }));
  const input = new InputBeforeRuns({
    ...{ given, runs, isBusy: () => isBusy, hasTimers: () => hasTimers, isQuiet: () => isQuiet, nowMs: () => nowMs },
    // The tests look themselves.
    lookAfter: () => undefined,
    isLeftWaiting: () => {
      leftWaiting += 1;
    },
  });
  given.stdin.on('data', (chunk) => {
    heard += chunk;
  });
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const look = async (times = INPUT_QUIET_LOOKS): Promise<string> => {
    await turns();
    for (let looks = 0; looks < times; looks += 1) input.look();
    await turns();
    return heard;
  };
  return { look };
}

const a = { place: 0, data: 'a' };
const b = { place: 1, data: 'b' };
const c = { place: 3, data: 'c' };

describe('what came before runs', () => {
  it('is given piece by piece, each when the program does nothing else', async () => {
    const { look } = reading([a, b]);
    expect(await look(INPUT_QUIET_LOOKS - 1)).toBe('');
    isQuiet = false;
    expect(await look(5)).toBe('');
    isQuiet = true;
    expect(await look()).toBe('a');
    expect(await look()).toBe('ab');
  });

  it('is given to a program that is never found doing nothing after a while', async () => {
    isQuiet = false;
    const { look } = reading([a]);
    expect(await look()).toBe('');
    nowMs = INPUT_QUIET_MS_MAX;
    expect(await look(1)).toBe('a');
  });

  it('waits for timers of the program for as long as it was waited when it was recorded, and not where there are none', async () => {
    const { look } = reading([a, b]);
    hasTimers = true;
    expect(await look()).toBe('');
    nowMs = 700;
    expect(await look()).toBe('a');
    expect(await look()).toBe('a');
    hasTimers = false;
    expect(await look()).toBe('ab');
  });

  it('waits for the run before to begin and to end', async () => {
    const { look } = reading([a], [c]);
    expect(await look()).toBe('a');
    expect(await look()).toBe('a');
    begun.add(0);
    isBusy = true;
    expect(await look()).toBe('a');
    isBusy = false;
    expect(await look()).toBe('ac');
  });

  it('goes on to the next run where one does not begin any more', async () => {
    const { look } = reading([a], [], [c]);
    expect(await look()).toBe('a');
    nowMs += INPUT_RUN_MS_MAX;
    await look();
    expect(await look()).toBe('ac');
    expect(leftWaiting).toBe(0);
  });

  it('tells of a program that waits where nothing is left', async () => {
    const { look } = reading([a]);
    await look();
    begun.add(0);
    expect(leftWaiting).toBe(0);
    await look();
    expect(leftWaiting).toBe(1);
  });
});
