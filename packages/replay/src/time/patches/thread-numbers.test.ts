import { getPriority } from 'node:os';
import { PatchSet } from '@reenact/instrumentation';
import { expect, it } from 'vitest';
import { installThreadNumbers, startNumbered } from './thread-numbers.ts';

/** No process has it: the largest number that Linux gives is 4,194,304. */
const [recorded, recordedParent] = [5_000_001, 5_000_002];
const real = [process.pid, process.ppid];

/** What code says and reaches in a thread that is started where the process has other numbers than its own. */
function inThread<Said>(code: () => Said): Said {
  const patches = new PatchSet();
  patches.compute(process, 'pid', () => recorded);
  patches.compute(process, 'ppid', () => recordedParent);
  try {
    return startNumbered(() => {
      patches.restore();
      const uninstall = installThreadNumbers();
      try {
        return code();
      } finally {
        uninstall();
      }
    });
  } finally {
    patches.restore();
  }
}

it('a thread says the numbers that its process has where it was started, and reaches by them what they are', () => {
  const said = inThread(() => [process.pid, process.ppid, process.kill(process.pid, 0), process.kill(process.ppid, 0)]);
  expect(said).toEqual([recorded, recordedParent, true, true]);
  expect(inThread(() => getPriority(process.pid))).toBe(getPriority());
  expect([process.pid, process.ppid]).toEqual(real);
});

it('one that was told nothing says its own', () => {
  const uninstall = installThreadNumbers();
  expect([process.pid, process.ppid]).toEqual(real);
  uninstall();
});
