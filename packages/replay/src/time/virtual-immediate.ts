import { AsyncResource } from 'node:async_hooks';
import { pristine } from '@reenact/instrumentation';
import type { RunTime } from './run-time.ts';
import type { ArmedTimer, RecordedTimer } from './timer-rules.ts';

/** What an immediate is made of. */
export interface VirtualImmediateOptions {
  readonly time: RunTime;
  readonly recorded: RecordedTimer;
  readonly callback: (...parameters: unknown[]) => unknown;
  readonly parameters: readonly unknown[];
}

const immediatePrototype: object = (() => {
  const immediate = pristine.setImmediate(() => undefined);
  pristine.clearImmediate(immediate);
  return Object.getPrototypeOf(immediate) as object;
})();

/** What `setImmediate` returns inside a replay where it is known when that fired: it fires there again. Has every method of a real one. */
export class VirtualImmediate {
  private readonly resource = new AsyncResource('Immediate');
  private readonly armed: ArmedTimer;
  private isHolding = true;

  constructor({ time, recorded, callback, parameters }: VirtualImmediateOptions) {
    const fire = (): void => void this.resource.runInAsyncScope(callback, this, ...parameters);
    this.armed = time.arm({ delayMs: 0, isHolding: true, recorded, fire });
  }

  ref(): this {
    return this.hold(true);
  }

  unref(): this {
    return this.hold(false);
  }

  private hold(isHolding: boolean): this {
    this.isHolding = isHolding;
    this.armed.hold(isHolding);
    return this;
  }

  hasRef(): boolean {
    return this.isHolding;
  }

  /** It never fires. */
  close(): void {
    this.armed.cancel();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

// `instanceof` the class of real immediates stays true; every method of theirs is overridden here.
Object.setPrototypeOf(VirtualImmediate.prototype, immediatePrototype);
Object.defineProperty(VirtualImmediate, 'name', { value: 'Immediate' });
