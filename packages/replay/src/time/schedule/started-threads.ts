import type { EventLoopUtilization } from 'node:perf_hooks';

/** What is asked of a worker thread of this process. */
export interface StartedThread {
  /** -1 once it has ended. */
  readonly threadId: number;
  readonly performance: { eventLoopUtilization(): EventLoopUtilization };
}

/** How much of the time since it was looked last a thread must have waited to count as idle. */
const idleShareMin = 0.9;
const threads = new Map<WeakRef<StartedThread>, EventLoopUtilization>();
const nothing: EventLoopUtilization = { idle: 0, active: 0, utilization: 0 };

/** The agent has started a worker thread, in this process. */
export function noteStartedThread(thread: StartedThread): void {
  threads.set(new WeakRef(thread), nothing);
}

/**
 * Whether a worker thread may still tell this one something: a message port is listened to that holds the process. Idle threads of pools and
 * loggers do not hold it. `activeNames`: as `process.getActiveResourcesInfo` gives them.
 */
export function mayHearFromThread(activeNames: readonly string[]): boolean {
  return threads.size > 0 && activeNames.includes('MessagePort');
}

function isWorking(now: EventLoopUtilization, before: EventLoopUtilization): boolean {
  const [idle, active] = [now.idle - before.idle, now.active - before.active];
  // Before its loop turns for the first time it has waited for nothing.
  return idle + active === 0 || idle / (idle + active) < idleShareMin;
}

const lookedAt = new WeakMap<StartedThread, EventLoopUtilization>();

/** Whether a thread has started or computed since this was asked of it last. One that waits by `Atomics.wait` counts as computing. */
export function hasWorked(thread: StartedThread): boolean {
  if (thread.threadId === -1) return false;
  const before = lookedAt.get(thread) ?? nothing;
  const now = thread.performance.eventLoopUtilization();
  lookedAt.set(thread, now);
  return isWorking(now, before);
}

/** Whether any thread has started or computed since this was asked last. One that waits by `Atomics.wait` counts as computing. */
export function threadsHaveWorked(): boolean {
  let haveWorked = false;
  for (const [reference, before] of threads) {
    const thread = reference.deref();
    if (thread === undefined || thread.threadId === -1) {
      threads.delete(reference);
      continue;
    }
    const now = thread.performance.eventLoopUtilization();
    threads.set(reference, now);
    haveWorked ||= isWorking(now, before);
  }
  return haveWorked;
}
