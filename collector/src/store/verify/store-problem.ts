/** Something in a data directory that is not as it was written. */
export interface StoreProblem {
  readonly part: 'chain' | 'log' | 'pack' | 'index' | 'search' | 'directory';
  /** A file, with the byte where that is known, or an item. */
  readonly where: string;
  readonly what: string;
}

const PROBLEMS_MAX = 1000;

/** What a check has found so far, bounded. */
export class StoreProblems {
  readonly all: StoreProblem[] = [];

  add(part: StoreProblem['part'], where: string, what: string): void {
    if (this.all.length < PROBLEMS_MAX) this.all.push({ part, where, what });
  }

  /** The same, but nothing twice. */
  addOnce(part: StoreProblem['part'], where: string, what: string): void {
    if (!this.all.some((known) => known.where === where && known.what === what)) this.add(part, where, what);
  }
}
