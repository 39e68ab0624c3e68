import { AsyncResource } from 'node:async_hooks';
import {
  deliveredAfterUs,
  type Position,
  pristine,
  recordTimer,
  type TimerRecord,
  timerDelayMs,
} from '@reenact/instrumentation';
import type { ArmedTimer, RecordedTimer } from '../recorded/timer-place.ts';
import type { RunTime } from '../run-time.ts';
import { type CallTimer, callAsTimeout, type TimerCall } from '../schedule/call-timer.ts';
import { forEarlierTimer } from './earlier-timer.ts';

/** What a timer is made of. */
export interface VirtualTimeoutOptions {
  readonly time: RunTime;
  /** Where the code stands that sets it. */
  readonly position?: Position | undefined;
  readonly callback: TimerCall['callback'];
  readonly parameters: readonly unknown[];
  /** Default: as the platform calls its timers. */
  readonly call?: CallTimer;
  /** As the caller gave it. */
  readonly delay: unknown;
  readonly repeats: boolean;
  readonly isHolding?: boolean;
}

/** Node.js numbers its timers from 1; these numbers are far from what it reaches. */
const firstId = 1_000_000_000;

const byId = new Map<number, Timeout>();
let lastId = firstId;

const timeoutPrototype: object = (() => {
  const timer = pristine.setTimeout(() => undefined, 1);
  pristine.clearTimeout(timer);
  return Object.getPrototypeOf(timer) as object;
})();

/**
 * What `setTimeout` and `setInterval` return inside a replay: a timer of virtual time with every method of a real one. Stacks name its class, and
 * the member that its callback is called as.
 */
class Timeout {
  _onTimeout: TimerCall['callback'] | null;
  private readonly options: VirtualTimeoutOptions;
  private readonly resource: AsyncResource;
  private readonly delayMs: number;
  private recorded: RecordedTimer | undefined;
  private armed: ArmedTimer | undefined;
  /** What the recording of a replay that is sent on keeps of it, as of a real one. */
  private kept: TimerRecord | undefined;
  private isHolding: boolean;
  private isClosed = false;
  private id: number | undefined;

  constructor(options: VirtualTimeoutOptions) {
    this.options = options;
    this._onTimeout = options.callback;
    const make = (): AsyncResource => new AsyncResource('Timeout');
    this.resource = options.time.isBeforeRun ? forEarlierTimer(make) : make();
    this.delayMs = timerDelayMs(options.delay);
    this.isHolding = options.isHolding ?? true;
    this.begin();
  }

  private begin(): void {
    this.setNow();
    this.arm();
  }

  /** It is set where the run has come now: for its own recording, and among what was recorded. */
  private setNow(): void {
    this.kept = recordTimer(this.options.delay);
    this.recorded = this.recordedNow();
  }

  private recordedNow(): RecordedTimer | undefined {
    const { time, position } = this.options;
    return time.recordedTimer(position, this.delayMs);
  }

  private arm(): void {
    const { delayMs, isHolding, recorded } = this;
    const { time, position, callback } = this.options;
    const deliveredUs = time.deliveredUs(position, deliveredAfterUs(callback));
    const fire = (began: () => void): (() => void) => this.fire(began);
    this.armed = time.arm({ delayMs, isHolding, recorded, deliveredUs, fire });
    if (this.id !== undefined) byId.set(this.id, this);
  }

  private fire(began: () => void): () => void {
    const { callback, parameters, call = callAsTimeout } = this.options;
    const timerCall = { self: this, callback, parameters };
    return this.resource.runInAsyncScope(call, undefined, timerCall, () => {
      began();
      this.begun();
    });
  }

  /** The callback is about to be called. An interval is set anew after it, and belongs where the run had come before. */
  private begun(): void {
    this.armed = undefined;
    this.kept?.fired();
    this.forget();
    if (!this.options.repeats) return;
    this.setNow();
    pristine.nextTick(() => {
      if (!this.isClosed && this.armed === undefined) this.arm();
    });
  }

  private forget(): void {
    if (this.id !== undefined) byId.delete(this.id);
  }

  ref(): this {
    return this.hold(true);
  }

  unref(): this {
    return this.hold(false);
  }

  private hold(isHolding: boolean): this {
    this.isHolding = isHolding;
    this.armed?.hold(isHolding);
    return this;
  }

  hasRef(): boolean {
    return this.isHolding;
  }

  refresh(): this {
    if (this.isClosed) return this;
    this.armed?.cancel();
    // When it would have fired is later now.
    if (this.recorded?.hasFired !== true) this.recorded = undefined;
    this.arm();
    return this;
  }

  close(): this {
    this.isClosed = true;
    // As the platform does: stacks of a callback that has cleared its own timer do not name the member.
    this._onTimeout = null;
    this.kept?.cancelled();
    this.armed?.cancel();
    this.armed = undefined;
    this.forget();
    return this;
  }

  [Symbol.toPrimitive](): number {
    if (this.id === undefined) {
      lastId += 1;
      this.id = lastId;
      if (this.armed !== undefined) byId.set(this.id, this);
    }
    return this.id;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

// `instanceof` the class of real timers stays true; every method of theirs is overridden here.
Object.setPrototypeOf(Timeout.prototype, timeoutPrototype);

export { Timeout as VirtualTimeout };

/** The virtual timer that `clearTimeout` was given, as an object or as its number; undefined for anything else. */
export function virtualTimeoutOf(given: unknown): Timeout | undefined {
  if (given instanceof Timeout) return given;
  return typeof given === 'number' || typeof given === 'string' ? byId.get(Number(given)) : undefined;
}
