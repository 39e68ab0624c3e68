import os from 'node:os';
import { OwnProcesses, type PatchSet, type Position } from '@reenact/instrumentation';
import type { RunTime } from '../run-time.ts';

/** What knows by which numbers the code that runs now knows its process and the one that started it. */
export interface ProcessNumbers {
  /** Undefined where it reads the real ones. */
  here():
    | {
        readonly time: Pick<RunTime, 'processId' | 'parentProcessId' | 'realProcessId'>;
        readonly position: Position | undefined;
      }
    | undefined;
}

/** What takes the number of a process first, and how much must come behind it for that: alone, `os.setPriority` takes a priority. */
const takers = [
  { owner: process, key: 'kill', behind: 0 },
  { owner: os, key: 'getPriority', behind: 0 },
  { owner: os, key: 'setPriority', behind: 1 },
] as const;

/**
 * Has `process.pid` and `process.ppid` say what they said when the run was recorded: it stands in names, locks and lines of a log. What the program does to the process
 * of that number it does to this one, as it did then; a child looks by the number of its parent whether that is still there. Returns how to stop
 * listening for processes that this one starts: one that has the recorded number by chance is meant by it.
 */
export function patchProcessId(patches: PatchSet, times: ProcessNumbers): () => void {
  const children = new OwnProcesses();
  patches.compute<number>(process, 'pid', (real) => {
    const here = times.here();
    return here?.time.processId(here.position) ?? real;
  });
  patches.compute<number>(process, 'ppid', (real) => {
    const here = times.here();
    return here?.time.parentProcessId(here.position) ?? real;
  });
  for (const { owner, key, behind } of takers) {
    patches.wrap(owner, key, ({ parameters, proceed }) => {
      const [target, ...others] = parameters;
      const number = Number(target);
      // A group is named by the negative number of its leader.
      if (others.length < behind || number === 0) return proceed();
      const here = times.here();
      const real = children.numberOf(Math.abs(number)) ?? here?.time.realProcessId(here.position, Math.abs(number));
      return real === undefined ? proceed() : proceed([Math.sign(number) * real, ...others]);
    });
  }
  return children.watch();
}
