import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';
import { isOfTestThreads } from './test-threads.ts';

/** Whether this is a worker thread, whose runs no replay of the command of its program answers; a test runner's has one to itself. */
export const isInThread = !isMainThread && !isOfTestThreads(process.argv[1]);

/** Under which name a thread finds what it shares with the one that started it; threads of its own find the same. */
const SHARED_AS = 'reenact.thread-doings.1';

/** What a thread does that its answers may depend on: no replay of the command gives it that again. */
export type ThreadDoing = 'joined' | 'call' | 'draw';

const indexes: Readonly<Record<ThreadDoing, number>> = { joined: 0, call: 1, draw: 2 };

/** How often the threads of one program have done what, as far as they say. */
export class ThreadDoings {
  readonly counts = new Int32Array(new SharedArrayBuffer(Object.keys(indexes).length * Int32Array.BYTES_PER_ELEMENT));

  /** How often they have done that until now. */
  countOf(doing: ThreadDoing): number {
    return Atomics.load(this.counts, indexes[doing]);
  }

  /** Runs `start`, so that a thread which it starts counts here. Returns and throws what that does. */
  during<Started>(start: () => Started): Started {
    const before = getEnvironmentData(SHARED_AS);
    setEnvironmentData(SHARED_AS, this.counts);
    try {
      return start();
    } finally {
      setEnvironmentData(SHARED_AS, before);
    }
  }
}

function countsOfThread(): Int32Array | undefined {
  const shared: unknown = isInThread ? getEnvironmentData(SHARED_AS) : undefined;
  if (!(shared instanceof Int32Array)) return undefined;
  Atomics.store(shared, indexes.joined, 1);
  return shared;
}

const counts = countsOfThread();

/** In a worker thread, tells the program that started it that this was done; elsewhere it does nothing. Never throws. */
export function noteThreadDoing(doing: ThreadDoing): void {
  if (counts !== undefined) Atomics.add(counts, indexes[doing], 1);
}
