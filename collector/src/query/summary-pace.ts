/** Weight of the newest batch: what is made next is most like it, and one large run is no pace. */
const NEWEST_WEIGHT = 0.2;

/** How long summaries take, as far as the last batches tell. */
export class SummaryPace {
  private msPerRun = 0;

  /** So many were made in so long, while so many batches were in work at one time. */
  note(runs: number, ms: number, batchesInWork: number): void {
    if (runs === 0) return;
    const now = ms / runs / batchesInWork;
    this.msPerRun = this.msPerRun === 0 ? now : this.msPerRun * (1 - NEWEST_WEIGHT) + now * NEWEST_WEIGHT;
  }

  /** Whether any were made yet. */
  get isKnown(): boolean {
    return this.msPerRun > 0;
  }

  /** How long so many will take; 0 where none was made yet. */
  msFor(runs: number): number {
    return runs * this.msPerRun;
  }
}
