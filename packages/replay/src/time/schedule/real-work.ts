import { pristine } from '@reenact/instrumentation';
import { REAL_WORK_MS_MAX } from '../../limits.ts';
import { mayHearFromThread } from './started-threads.ts';

/** Requests to the operating system, a file's closing among them, and child processes. What only waits for others, as servers do, is none. */
const requestPattern = /^FSReq|^CloseReq$|ReqWrap$|ConnectWrap$|WriteWrap$|ShutdownWrap$|SendWrap$|^ProcessWrap$/;
/** What keeps a process alive without being anybody's work: our own timers, and the standard streams. */
const idlePattern = /^(Timeout|Immediate|TTYWrap|PipeWrap|SignalWrap|MessagePort)$/;
/** What waits to be asked. */
const serverPattern = /^(TCPServerWrap|PipeServerWrap|UDPWRAP)$/;

function counted(names: readonly string[], pattern: RegExp): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) if (pattern.test(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/**
 * What of the agent's work goes on outside JavaScript: files being read, names being looked up, programs running. While it
 * does, virtual time waits. What never ends, such as a server that was started as a child process, is waited for once.
 */
export class RealWork {
  private readonly activeNames: () => readonly string[];
  private readonly realMs: () => number;
  private ignored = new Map<string, number>();
  private sinceMs: number | undefined;

  constructor(
    activeNames: () => readonly string[] = () => process.getActiveResourcesInfo(),
    realMs: () => number = pristine.performanceNow,
  ) {
    this.activeNames = activeNames;
    this.realMs = realMs;
  }

  /** Whether work is going on that will end, as far as one can tell. */
  isGoingOn(): boolean {
    const counts = counted(this.activeNames(), requestPattern);
    this.ignored = new Map(Array.from(this.ignored, ([name, count]) => [name, Math.min(count, counts.get(name) ?? 0)]));
    const isWorking = Array.from(counts).some(([name, count]) => count > (this.ignored.get(name) ?? 0));
    if (!isWorking) {
      this.sinceMs = undefined;
      return false;
    }
    this.sinceMs ??= this.realMs();
    if (this.realMs() - this.sinceMs < REAL_WORK_MS_MAX) return true;
    this.ignored = counts;
    this.sinceMs = undefined;
    return false;
  }

  /** Whether anything real may still come: a connection, a program, a worker. `isUnasked`: nobody asks the servers of the process. */
  mayCome(isUnasked = false): boolean {
    const names = this.activeNames();
    const isIdle = (name: string): boolean => idlePattern.test(name) || (isUnasked && serverPattern.test(name));
    return !names.every(isIdle) || mayHearFromThread(names);
  }
}
