import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { PROCESS_ANCESTORS_MAX } from '../limits.ts';
import { pristine } from './pristine.ts';
import { processState } from './process-state.ts';

/** Taken now: a replay refuses what it does not know. */
const killNow = process.kill.bind(process);

/** The numbers that processes have now which the program knows by the recorded ones. */
const realNumbers = new WeakMap<ChildProcess, number>();

/** Has the program know a process that it has started by the number that this had when the run was recorded. */
export function renumber(child: ChildProcess, recorded: number): void {
  if (child.pid === undefined) return;
  realNumbers.set(child, child.pid);
  Object.assign(child, { pid: recorded });
}

/** Knows the processes that this one has started. */
export class OwnProcesses {
  private readonly children = new Set<WeakRef<ChildProcess>>();
  private readonly started = (message: unknown): void => {
    const { process: child } = message as { readonly process?: ChildProcess };
    if (child !== undefined) this.children.add(new WeakRef(child));
  };

  /** Begins to be told of them. Returns how to stop. */
  watch(): () => void {
    subscribe('child_process', this.started);
    return () => void unsubscribe('child_process', this.started);
  }

  /** Whether a process is this one (by its own number or by the recorded one), one that this one has started, or, on Linux, a descendant of this one. */
  includes(processId: number): boolean {
    if (processId === pristine.processId || processId === process.pid || this.isChild(processId)) return true;
    let ancestor = processState(processId)?.parent;
    for (let generation = 0; generation < PROCESS_ANCESTORS_MAX; generation += 1) {
      if (ancestor === pristine.processId) return true;
      if (ancestor === undefined || ancestor <= 1) return false;
      ancestor = processState(ancestor)?.parent;
    }
    return false;
  }

  /**
   * The real number of a process that this one has started, by the number that the program knows it by. Of several, the one that runs counts
   * before one that has ended: its recorded number must reach nobody else either. Undefined where there is none, and of one that has ended and was
   * known by its real number.
   */
  numberOf(processId: number): number | undefined {
    const known = Array.from(this.all()).filter(({ pid }) => pid === processId);
    const child = known.find(isRunning) ?? known.find((ended) => realNumbers.has(ended));
    return child && (realNumbers.get(child) ?? child.pid);
  }

  private isChild(processId: number): boolean {
    for (const child of this.all()) if (child.pid === processId || realNumbers.get(child) === processId) return true;
    return false;
  }

  private *all(): Iterable<ChildProcess> {
    for (const reference of this.children) {
      const child = reference.deref();
      if (child === undefined) this.children.delete(reference);
      else yield child;
    }
  }
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

function isThere(target: number): boolean {
  try {
    return killNow(target, 0);
  } catch (thrown) {
    // That of another user is there, too.
    return (thrown as { readonly code?: unknown }).code !== 'ESRCH';
  }
}

/**
 * The process of somebody else that a call of `process.kill` sends a signal to, by the parameters of the call. Undefined where the call only asks whether
 * there is one, where it is meant for this process, its group or one that it has started, and where there is no such process.
 */
export function foreignTarget([processId, signal]: readonly unknown[], own: OwnProcesses): number | undefined {
  const target = Number(processId);
  if (signal === 0 || !Number.isInteger(target) || target === 0) return undefined;
  if (own.includes(Math.abs(target))) return undefined;
  // Under its recorded number it is nowhere, and is reached by it all the same.
  return Math.abs(target) === process.ppid || isThere(target) ? target : undefined;
}

/** The parameters of `os.setPriority` as `foreignTarget` takes them; a call with a priority alone is for this process. */
export function priorityTarget([processId, ...others]: readonly unknown[]): readonly unknown[] {
  return others.length > 0 ? [processId] : [];
}
