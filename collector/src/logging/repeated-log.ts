import { REPEATED_KINDS_MAX, REPEATED_LOG_INTERVAL_MS } from '../limits.ts';

/** Writes one line about so many. */
type WriteLine = (count: number) => void;

interface Repeated {
  /** Since it was said last. */
  count: number;
  write: WriteLine;
}

/**
 * Tells the log of what may happen at every request: the first of a kind at once, what follows within `REPEATED_LOG_INTERVAL_MS` as
 * one number, so that a sender or destination that goes on for ever fills no disk.
 */
export class RepeatedLog {
  private readonly repeated = new Map<string, Repeated>();
  private timer: NodeJS.Timeout | undefined;

  /** Says that so many of a kind happened; of several that are told together, the last is written. */
  tell(kind: string, count: number, write: WriteLine): void {
    const known = this.repeated.get(kind);
    if (known !== undefined) {
      known.count += count;
      known.write = write;
      return;
    }
    this.repeated.set(kind, { count: 0, write });
    write(count);
    this.arm();
  }

  /** Whether a kind is told apart from others: it is already, or few are. */
  hasRoomFor(kind: string): boolean {
    return this.repeated.has(kind) || this.repeated.size < REPEATED_KINDS_MAX;
  }

  /** Says what was not said yet. */
  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.summarise();
    this.repeated.clear();
  }

  private arm(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.summarise();
      if (this.repeated.size > 0) this.arm();
    }, REPEATED_LOG_INTERVAL_MS).unref();
  }

  /** What went on is said again; what has stopped is forgotten, so that its next time is told at once. */
  private summarise(): void {
    for (const [kind, repeated] of this.repeated) {
      if (repeated.count === 0) this.repeated.delete(kind);
      else repeated.write(repeated.count);
      repeated.count = 0;
    }
  }
}
