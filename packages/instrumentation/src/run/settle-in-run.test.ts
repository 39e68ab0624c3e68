import { describe, expect, it } from 'vitest';
import type { RunState } from './crossing-scope.ts';
import { settleInRun } from './settle-in-run.ts';

function newRun(): RunState {
  return { nextRootOrder: 0, nextSettled: 0, openRoots: 0, identity: {} };
}

describe('what settles in a run', () => {
  it('is with the one before where both settle in one step', () => {
    const run = newRun();
    expect([settleInRun(run), settleInRun(run)]).toEqual([
      { settled: 0, isWithPrevious: false },
      { settled: 1, isWithPrevious: true },
    ]);
  });

  it('is with it where it was only waiting to be told, and not behind a reaction to it', async () => {
    const run = newRun();
    const places: unknown[] = [];
    const settle = (): void => void places.push(settleInRun(run).isWithPrevious);
    const first = Promise.resolve().then(settle);
    const second = Promise.resolve().then(settle);
    await Promise.all([first.then(settle), second]);
    expect(places).toEqual([false, true, false]);
  });

  it('is not with what settled in another run', () => {
    settleInRun(newRun());
    expect(settleInRun(newRun())).toEqual({ settled: 0, isWithPrevious: false });
  });
});
