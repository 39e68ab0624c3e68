import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';
import { pristine } from '@reenact/instrumentation';

const HOLD_MS = 2 ** 30;

/** How the stream of a replay's standard input is. */
export interface ReplayedStdinOptions {
  /** Whether a terminal gave what was recorded. */
  readonly isTerminal: boolean;
  /** Told when the program waits for more. */
  readonly wanted: () => void;
}

/**
 * What `process.stdin` is in a replay of a program whose input was recorded: nobody types into it, and what it gives is told by `give`. It keeps the process as the
 * platform's does, while somebody reads it, and calls its listeners where that would: in the context that opened it.
 */
export class ReplayedStdin extends Readable {
  readonly fd = 0;
  readonly isTTY: true | undefined;
  isRaw = false;
  /** Whether the program waits for more. */
  isWanting = false;
  private readonly wanted: () => void;
  private runThere: ReturnType<typeof AsyncLocalStorage.snapshot> | undefined;
  private isHolding = true;
  private isStopped = false;
  private isOver = false;
  private hold: NodeJS.Timeout | undefined;

  constructor({ isTerminal, wanted }: ReplayedStdinOptions) {
    super({ highWaterMark: 65_536 });
    this.isTTY = isTerminal ? true : undefined;
    this.wanted = wanted;
  }

  /** Somebody asks for it, where listeners are to be called from now on. */
  open(): this {
    this.runThere ??= AsyncLocalStorage.snapshot();
    return this;
  }

  /** Gives the program what it was given when this was recorded; null: the end. */
  give(chunk: string | Uint8Array | null): void {
    this.isWanting = false;
    this.rehold();
    if (this.isOver || this.destroyed) return;
    this.isOver = chunk === null;
    const push = (): void => void this.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    if (this.runThere === undefined) push();
    else this.runThere(push);
  }

  override _read(): void {
    this.isWanting = true;
    this.rehold();
    this.wanted();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.isWanting = false;
    this.rehold();
    callback(error);
  }

  override pause(): this {
    this.isStopped = true;
    this.rehold();
    return super.pause();
  }

  override resume(): this {
    this.isStopped = false;
    this.rehold();
    const resumed = super.resume();
    if (this.isWanting) this.wanted();
    return resumed;
  }

  /** Whether what is given now reaches the program. */
  get isReading(): boolean {
    return this.isWanting && !this.isStopped;
  }

  /** As that of a terminal: each key counts, and none is shown. */
  setRawMode(isRaw: boolean): this {
    this.isRaw = isRaw;
    return this;
  }

  ref(): this {
    this.isHolding = true;
    this.rehold();
    return this;
  }

  unref(): this {
    this.isHolding = false;
    this.rehold();
    return this;
  }

  private rehold(): void {
    const holds = this.isHolding && this.isReading;
    if (holds) this.hold ??= pristine.setInterval(() => undefined, HOLD_MS);
    else if (this.hold !== undefined) {
      pristine.clearInterval(this.hold);
      this.hold = undefined;
    }
  }
}
