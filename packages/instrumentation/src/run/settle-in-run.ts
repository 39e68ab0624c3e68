import type { RunState } from './crossing-scope.ts';

/** Where a crossing that has settled stands in its run. */
export interface SettledPlace {
  /** 0-based completion order. */
  readonly settled: number;
  /** Whether nothing of the host ran between the one that settled before and this. */
  readonly isWithPrevious: boolean;
}

const done = Promise.resolve();

/**
 * Takes the next place among what settles in a run. A driver that finds several replies in one piece of what came keeps its promises one after
 * the other, and only then what waits for the first of them runs: a replay has to keep them so, too. Whatever was waiting by then goes before
 * a reaction that is added now.
 */
export function settleInRun(run: RunState): SettledPlace {
  const isWithPrevious = run.isSettling === true;
  const settled = run.nextSettled;
  run.nextSettled += 1;
  if (!isWithPrevious) {
    run.isSettling = true;
    void done.then(() => {
      run.isSettling = false;
    });
  }
  return { settled, isWithPrevious };
}
