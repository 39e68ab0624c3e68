import type { Reloadable } from './reloadable.ts';

type Watched = Pick<Reloadable<unknown>, 'check' | 'reload'>;

/** Has everything that is made of files made again when they change, or when that is asked for. */
export class FileWatch {
  private readonly watched: Watched[] = [];
  private readonly timer: NodeJS.Timeout;

  /** Starts looking at once, every `checkMs`. */
  constructor(checkMs: number) {
    this.timer = setInterval(() => {
      for (const one of this.watched) one.check();
    }, checkMs);
    this.timer.unref();
  }

  /** Looks at this one from now on, too, and gives it back. */
  watch<One extends Watched>(one: One): One {
    this.watched.push(one);
    return one;
  }

  /** Reads every file again now. What cannot be used is logged, and what was in use stays. Never throws. */
  reload(): void {
    for (const one of this.watched) one.reload();
  }

  /** Looks at the files no more. */
  stop(): void {
    clearInterval(this.timer);
  }
}
