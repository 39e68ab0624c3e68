import { RETRY_MS, RETRY_MS_MAX } from './limits.ts';
import { sleepUnless } from './sleep-unless.ts';

/** How long is waited before what failed is tried again: twice as long each time, as far as a limit, until it has worked. */
export class RetryDelay {
  private nextMs = RETRY_MS;

  /** Waits, or ends as soon as the signal is aborted. */
  async wait(signal: AbortSignal): Promise<void> {
    const durationMs = this.nextMs;
    this.nextMs = Math.min(durationMs * 2, RETRY_MS_MAX);
    await sleepUnless(signal, durationMs);
  }

  /** It has worked. */
  reset(): void {
    this.nextMs = RETRY_MS;
  }
}
