import { performance } from 'node:perf_hooks';
import { pristine } from '@reenact/instrumentation';
import { ReplayedStdin } from '../input/replayed-stdin.ts';
import { IDLE_UTILIZATION_MAX } from '../limits.ts';
import { RealWork } from '../time/schedule/real-work.ts';
import { mayHearFromThread, threadsHaveWorked } from '../time/schedule/started-threads.ts';

/** Whether the program listens to what somebody types or another program writes to it. Looked at late: it opens the stream. */
function readsStandardInput(): boolean {
  const { stdin } = process;
  if (stdin instanceof ReplayedStdin) return false;
  const isRead = stdin.listenerCount('data') + stdin.listenerCount('readable') > 0;
  return isRead && !stdin.readableEnded && !stdin.destroyed;
}

/** Gives how to ask whether this process has computed little since it was asked last, and waits for no work, program or person. */
export function waitsForNothingReal(): () => boolean {
  const work = new RealWork();
  // The loop's own share is reckoned with the clock of the replay, which may stand still.
  const idleMs = (): number => performance.eventLoopUtilization().idle;
  let before = { idleMs: idleMs(), nowMs: pristine.performanceNow() };
  return () => {
    const now = { idleMs: idleMs(), nowMs: pristine.performanceNow() };
    const idleShare = (now.idleMs - before.idleMs) / (now.nowMs - before.nowMs);
    before = now;
    if (!(idleShare > 1 - IDLE_UTILIZATION_MAX) || work.isGoingOn()) return false;
    const haveWorked = threadsHaveWorked();
    const names = process.getActiveResourcesInfo();
    if (names.includes('ProcessWrap') || (haveWorked && mayHearFromThread(names))) return false;
    return !readsStandardInput();
  };
}
