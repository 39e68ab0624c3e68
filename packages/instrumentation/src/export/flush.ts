import { gate } from '../admission/current-gate.ts';
import { asOwnWork } from '../host/own-work.ts';
import { pristine } from '../host/pristine.ts';
import { reportFailure } from '../host/report-failure.ts';
import { FLUSH_TIMEOUT_MS } from '../limits.ts';

/** A timer of the platform that is set for longer fires at once. */
const timerMsMax = 2 ** 31 - 1;

/** How long to wait. */
export interface FlushOptions {
  /** Default 5,000 milliseconds. */
  readonly timeoutMs?: number;
}

/** What came of a flush. */
export interface Flushed {
  /** Whether the collector has everything that had been recorded. Else the rest waits: in the spool, and to be tried again. */
  readonly isDelivered: boolean;
}

function waited(timeoutMs: number): { readonly over: Promise<false>; readonly cancel: () => void } {
  let cancel = (): void => undefined;
  const over = new Promise<false>((resolve) => {
    // What is frozen between two requests must get its answer: the timer holds the process.
    const timer = pristine.setTimeout(() => resolve(false), Math.min(timeoutMs, timerMsMax));
    cancel = () => pristine.clearTimeout(timer);
  });
  return { over, cancel };
}

/**
 * Delivers what has been recorded so far, for a process that is frozen or taken away between two requests, such as a function in a
 * cloud. Await it when the run has ended, before the answer is returned. Never rejects; in a replay, and where nothing is recorded, it
 * resolves at once.
 */
export async function flush({ timeoutMs = FLUSH_TIMEOUT_MS }: FlushOptions = {}): Promise<Flushed> {
  const { over, cancel } = asOwnWork(() => waited(timeoutMs));
  try {
    const delivered = asOwnWork(() => gate.flush()).then((waiting) => waiting === 0);
    return { isDelivered: await Promise.race([delivered, over]) };
  } catch (thrown) {
    reportFailure('flushing', thrown);
    return { isDelivered: false };
  } finally {
    cancel();
  }
}
