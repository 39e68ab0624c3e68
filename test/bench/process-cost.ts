import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** What a process has used since it started. */
export interface ProcessCost {
  /** Processor time of all of its threads, seconds. */
  readonly seconds: number;
  /** The same of the threads of one name, seconds. */
  readonly secondsOf: (thread: string) => number;
}

/** What another process of this machine has used up to now. Linux only; of threads that still run. */
export function processCost(pid: number): ProcessCost {
  const byThread = new Map<string, number>();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`;
    try {
      const name = readFileSync(`${folder}/comm`, 'utf8').trim();
      const seconds = Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e9;
      byThread.set(name, (byThread.get(name) ?? 0) + seconds);
    } catch {
      // A thread that ended between the list and the look: what it used was little.
    }
  }
  const seconds = [...byThread.values()].reduce((sum, value) => sum + value, 0);
  return { seconds, secondsOf: (thread) => byThread.get(thread) ?? 0 };
}

/** Largest memory a process has held since `resetPeakMemory`, or since it started, in bytes. Linux only. */
export function peakMemoryBytes(pid: number): number {
  const [, kilobytes = '0'] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

/** Lets the peak start again from what the process holds now. */
export function resetPeakMemory(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}
