import { AsyncResource } from 'node:async_hooks';
import { pristine, recordImmediate, type TimerRecord } from '@reenact/instrumentation';
import type { ArmedTimer, RecordedTimer } from '../recorded/timer-place.ts';
import type { RunTime } from '../run-time.ts';
import { type CallTimer, callAsImmediate, type TimerCall } from '../schedule/call-timer.ts';

/** What an immediate is made of. */
export interface VirtualImmediateOptions {
  readonly time: RunTime;
  readonly recorded: RecordedTimer;
  readonly callback: TimerCall['callback'];
  readonly parameters: readonly unknown[];
  /** Default: as the platform calls its immediates. */
  readonly call?: CallTimer;
}

const immediatePrototype: object = (() => {
  const immediate = pristine.setImmediate(() => undefined);
  pristine.clearImmediate(immediate);
  return Object.getPrototypeOf(immediate) as object;
})();

/**
 * What `setImmediate` returns inside a replay where it is known when that fired: it fires there again. Has every method of a real one. Stacks name its
 * class, and the member that its callback is called as.
 */
class Immediate {
  readonly _onImmediate: TimerCall['callback'];
  private readonly resource = new AsyncResource('Immediate');
  private readonly armed: ArmedTimer;
  /** What the recording of a replay that is sent on keeps of it, as of a real one. */
  private readonly kept: TimerRecord | undefined = recordImmediate();
  private isHolding = true;

  constructor({ time, recorded, callback, parameters, call = callAsImmediate }: VirtualImmediateOptions) {
    this._onImmediate = callback;
    const timerCall = { self: this, callback, parameters };
    const begun = (began: () => void): void => {
      began();
      this.kept?.fired();
    };
    const fire = (began: () => void): (() => void) =>
      this.resource.runInAsyncScope(call, undefined, timerCall, () => begun(began));
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
    this.kept?.cancelled();
    this.armed.cancel();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

// `instanceof` the class of real immediates stays true; every method of theirs is overridden here.
Object.setPrototypeOf(Immediate.prototype, immediatePrototype);

export { Immediate as VirtualImmediate };
