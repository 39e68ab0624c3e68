import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { PatchSet, pristine } from '@reenact/instrumentation';
import { patchProcessId } from './patch-process-id.ts';

/** Under which name a thread finds by which numbers its process is known; threads of its own find the same. */
const SHARED_AS = 'reenact.thread-numbers.1';

/** Starts a thread that is told the numbers of its process, and of the one that started that, as the code here reads them. Returns and throws what `start` does. */
export function startNumbered<Thread>(start: () => Thread): Thread {
  const before = getEnvironmentData(SHARED_AS);
  setEnvironmentData(SHARED_AS, [process.pid, process.ppid]);
  try {
    return start();
  } finally {
    setEnvironmentData(SHARED_AS, before);
  }
}

/** Has a worker thread say the numbers that it was told, and meet by them the processes that these are. Gives how to undo it. */
export function installThreadNumbers(): () => void {
  const told = getEnvironmentData(SHARED_AS);
  if (!Array.isArray(told)) return () => undefined;
  const [processId, parentProcessId]: unknown[] = told;
  if (typeof processId !== 'number' || typeof parentProcessId !== 'number') return () => undefined;
  const real = new Map([
    [parentProcessId, pristine.parentProcessId],
    [processId, pristine.processId],
  ]);
  const time = {
    processId: () => processId,
    parentProcessId: () => parentProcessId,
    realProcessId: (_position: unknown, recorded: number) => real.get(recorded),
  };
  const patches = new PatchSet();
  const stop = patchProcessId(patches, { here: () => ({ time, position: undefined }) });
  patches.publish();
  return () => {
    stop();
    patches.restore();
  };
}
