import { MICROTASKS_MAX } from '../limits.ts';

const done = Promise.resolve();

/**
 * Counts rounds of promise reactions until it is stopped. A row of them ends before the event loop turns, so whoever stops it in time
 * has settled in the turn in which it was called.
 */
export class MicrotaskCount {
  private passed = 0;
  private isStopped = false;

  /** To be called right after a call, when whatever waits for it has been added. */
  begin(): void {
    void done.then(this.pass);
  }

  /** How many rounds there were; undefined where there were too many to tell that the event loop has not turned. */
  stop(): number | undefined {
    this.isStopped = true;
    return this.passed < MICROTASKS_MAX ? this.passed : undefined;
  }

  private readonly pass = (): void => {
    if (this.isStopped) return;
    this.passed += 1;
    if (this.passed < MICROTASKS_MAX) void done.then(this.pass);
  };
}
