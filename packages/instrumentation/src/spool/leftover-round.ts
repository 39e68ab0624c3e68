import { pristine } from '../host/pristine.ts';
import { SPOOL_LEFTOVER_PAUSE_MS } from '../limits.ts';

/**
 * One round of delivering what others left. Between two requests it holds no process that has nothing else to do, and it ends as soon as
 * somebody waits for spans of this process: however much was left, nobody waits for more than one request of it.
 */
export class LeftoverRound {
  private isOver = false;
  private wake: (() => void) | undefined;

  /** False once the round is over. */
  async mayGoOn(): Promise<boolean> {
    if (this.isOver) return false;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      pristine.setTimeout(resolve, SPOOL_LEFTOVER_PAUSE_MS).unref();
    });
    return !this.isOver;
  }

  /** Lets the rest wait for the next round, of whichever process. */
  end(): void {
    this.isOver = true;
    this.wake?.();
  }
}
