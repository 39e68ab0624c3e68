import { describeError, toReenactError } from '@reenact/trace-model/reenact-error';
import { MAINTENANCE_INTERVAL_MS } from './limits.ts';
import type { Retention } from './retention.ts';
import type { StoreReader } from './store-reader.ts';
import type { TextKeeper } from './text-keeper.ts';

/** What fails again and again, as on a disk that stays full, is tried at last after so many intervals. */
const INTERVALS_MAX = 12;

interface Parts {
  readonly texts: TextKeeper;
  readonly reader: StoreReader;
  readonly retention: Retention;
  readonly onLeftovers: TellLeftovers | undefined;
}

/** Told why what an earlier deletion left cannot be taken off the disk, at the first failure, and of nothing once it could. */
export type TellLeftovers = (error: string | undefined) => void;

/**
 * What a process that ended in the middle of a deletion has left: no search finds it any more, and the disk still has it. It is taken off at the
 * start, and tried again until it is gone: somebody was told that it would be.
 */
export class Leftovers {
  /** Why it failed last; undefined once it is gone. */
  lastError: string | undefined;
  private readonly parts: Parts;
  private running: Promise<void>;
  private timer: NodeJS.Timeout | undefined;
  private failures = 0;
  /** Deletions that somebody asked for, in work or waiting. */
  private deletions = 0;
  private isStopped = false;

  constructor(parts: Parts) {
    this.parts = parts;
    this.running = this.try();
  }

  /** Does this behind the try in work, and has the next one wait for it: both would take the same off the disk. */
  async apart<Result>(act: () => Promise<Result>): Promise<Result> {
    this.deletions += 1;
    try {
      await this.running;
      return await act();
    } finally {
      this.deletions -= 1;
    }
  }

  /** Begins and tells nothing any more, and resolves behind the try in work. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private async try(): Promise<void> {
    try {
      await this.erase();
      this.remember(undefined);
    } catch (thrown) {
      this.remember(describeError(toReenactError(thrown)));
    }
  }

  private async erase(): Promise<void> {
    const { texts, reader, retention } = this.parts;
    await texts.forget();
    if (!this.isStopped && reader.read(() => reader.isErasing())) await retention.removeErased();
  }

  private remember(error: string | undefined): void {
    // A store that closes ends what is in work; the next start goes on.
    if (this.isStopped) return;
    const isNews = (error === undefined) !== (this.lastError === undefined);
    this.lastError = error;
    if (isNews) this.parts.onLeftovers?.(error);
    if (error === undefined) return;
    const delayMs = Math.min(2 ** this.failures, INTERVALS_MAX) * MAINTENANCE_INTERVAL_MS;
    this.failures += 1;
    this.tryIn(delayMs);
  }

  private tryIn(delayMs: number): void {
    this.timer = setTimeout(() => {
      if (this.deletions > 0) this.tryIn(delayMs);
      else this.running = this.try();
    }, delayMs).unref();
  }
}
