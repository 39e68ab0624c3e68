import { FAILED_TRIES_TOLD } from '../limits.ts';

/** Counts tries to deliver that failed one after the other, and says once on stderr that there were several, and why: what waits is safe, but not where it is looked for. */
export class FailedTries {
  /** Why the last try failed; undefined where it did not. */
  lastReason: string | undefined;
  private count = 0;
  private isTold = false;

  /** One more has failed. Never throws. */
  failed(reason: string): void {
    this.lastReason = reason;
    this.count += 1;
    if (this.count < FAILED_TRIES_TOLD || this.isTold) return;
    this.isTold = true;
    try {
      process.stderr.write(
        `reenact: the collector has taken nothing ${this.count} times in a row (${reason}). What is recorded waits, and is tried again; \`npx reenact doctor\` looks for the cause. Told once.\n`,
      );
    } catch {
      // stderr may be closed; what waits is as safe as it was.
    }
  }

  /** A try has succeeded. */
  over(): void {
    this.lastReason = undefined;
    this.count = 0;
  }
}
