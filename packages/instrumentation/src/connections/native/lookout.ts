import { pristine } from '../../host/pristine.ts';
import { ADD_ON_LOOK_MS } from '../../limits.ts';

/** Looks every {@link ADD_ON_LOOK_MS} what native add-ons have done, and when the process ends. It does not keep the process. */
export class Lookout {
  private end: (() => void) | undefined;

  /** Whether somebody looks. */
  get isOn(): boolean {
    return this.end !== undefined;
  }

  /** Looks from now on; only where nobody does. `look` must not throw. */
  start(look: () => void): void {
    if (this.end !== undefined) return;
    const timer = pristine.setInterval(look, ADD_ON_LOOK_MS).unref();
    process.on('exit', look);
    this.end = () => {
      pristine.clearInterval(timer);
      process.off('exit', look);
    };
  }

  /** Looks no more. */
  stop(): void {
    this.end?.();
    this.end = undefined;
  }
}
