import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimIn } from './claim-in-directory.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reenact-claim-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('a recorded run of a child process', () => {
  it('is given to the first that asks, and to nobody after', () => {
    const [one, other] = [claimIn(directory), claimIn(directory)];
    expect([one('a1'), other('a1'), one('a1'), other('b2')]).toEqual([true, false, false, true]);
  });

  it('cannot be had where the directory of the replay is gone', () => {
    rmSync(directory, { recursive: true });
    expect(() => claimIn(directory)('a1')).toThrow(/over or out of reach/);
  });
});
