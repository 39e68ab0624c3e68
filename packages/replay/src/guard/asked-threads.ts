import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';

/** Under which name a thread finds what it shares with the one that started it; threads of its own find the same. */
const SHARED_AS = 'reenact.thread-asked.1';

const threads = new Set<WeakRef<Int32Array>>();
const ofThread = new WeakMap<object, Int32Array>();

/**
 * Starts a thread that is told whether a run asks it for anything. `isAsked`: a run starts it. Those that a thread starts are told what that
 * one is. Returns and throws what `start` does.
 */
export function startTold<Thread extends object>(start: () => Thread, isAsked: boolean): Thread {
  if (!isMainThread) return start();
  const asked = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  if (isAsked) Atomics.store(asked, 0, 1);
  const before = getEnvironmentData(SHARED_AS);
  setEnvironmentData(SHARED_AS, asked);
  try {
    const thread = start();
    ofThread.set(thread, asked);
    threads.add(new WeakRef(asked));
    return thread;
  } finally {
    setEnvironmentData(SHARED_AS, before);
  }
}

/** A run asks this thread for something. */
export function tellAsked(thread: object): void {
  const asked = ofThread.get(thread);
  if (asked !== undefined) Atomics.store(asked, 0, 1);
}

/** A run asks some thread for something, and which one cannot be told. */
export function tellAllAsked(): void {
  for (const reference of threads) {
    const asked = reference.deref();
    if (asked === undefined) threads.delete(reference);
    else Atomics.store(asked, 0, 1);
  }
}

/** In a worker thread, whether a run has started it or asked it for anything, as far as can be told; true where it cannot. */
export function isThreadAsked(): boolean {
  const asked: unknown = getEnvironmentData(SHARED_AS);
  return !(asked instanceof Int32Array) || Atomics.load(asked, 0) === 1;
}
