import { describe, expect, it } from 'vitest';
import { MadeSince, startOfReplayMs } from './made-since.ts';

const START_MS = 1_000;

/** A file system with files by the time at which each was made, 0 where it does not say. */
const statOf = (files: ReadonlyMap<string, number>) => (path: string) => {
  const birthtimeMs = files.get(path);
  return birthtimeMs === undefined ? undefined : { birthtimeMs };
};

describe('what a replay has made itself', () => {
  it('is what was not there, or was made since', () => {
    const files = new Map([
      ['/before.db', START_MS - 1],
      ['/since.db', START_MS],
    ]);
    const made = new MadeSince(START_MS, statOf(files));
    expect(['/before.db', '/since.db', '/new.db'].map((path) => made.includes(path))).toEqual([false, true, true]);
  });

  it('may be opened again where nobody knows when it was made, and what was there before may not', () => {
    const files = new Map([['/before.db', 0]]);
    const made = new MadeSince(START_MS, statOf(files));
    expect([made.includes('/before.db'), made.includes('/scratch.db')]).toEqual([false, true]);
    files.set('/scratch.db', 0);
    expect([made.includes('/before.db'), made.includes('/scratch.db')]).toEqual([false, true]);
  });

  it('is nothing of before its process where nobody knows when its directory was made', () => {
    const stat = statOf(new Map([['/own', 0]]));
    expect(startOfReplayMs('/own', stat)).toBe(performance.timeOrigin);
    expect(startOfReplayMs('/own', statOf(new Map([['/own', START_MS]])))).toBe(START_MS);
  });
});
