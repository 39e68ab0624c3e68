/** What is left of the weight of all batches before with each one: what is made next is most like the last, and the first of a process are slow. */
const OLDER_WEIGHT = 0.5;

/** How long summaries take, as far as the last batches tell. Each counts by its runs: one large run is no pace. */
export class SummaryPace {
  private runs = 0;
  private ms = 0;

  /** So many were made in so long, while so many batches were in work at one time. */
  note(runs: number, ms: number, batchesInWork: number): void {
    if (runs === 0) return;
    this.runs = this.runs * OLDER_WEIGHT + runs;
    this.ms = this.ms * OLDER_WEIGHT + ms / batchesInWork;
  }

  /** Whether any were made yet. */
  get isKnown(): boolean {
    return this.runs > 0;
  }

  /** How long so many will take; 0 where none was made yet. */
  msFor(runs: number): number {
    return this.isKnown ? (runs * this.ms) / this.runs : 0;
  }
}
