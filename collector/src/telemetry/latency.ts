/** Upper bounds of the buckets, seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** How long something took, in buckets that add up, as Prometheus wants it. */
export class Latency {
  private readonly counts = new Array<number>(BOUNDS.length + 1).fill(0);
  private sumSeconds = 0;

  /** Counts one duration in milliseconds. */
  add(durationMs: number): void {
    const seconds = durationMs / 1000;
    const bucket = BOUNDS.findIndex((bound) => seconds <= bound);
    const index = bucket < 0 ? BOUNDS.length : bucket;
    this.counts[index] = (this.counts[index] ?? 0) + 1;
    this.sumSeconds += seconds;
  }

  /** Each bound with how many took at most so long; the last is `+Inf`, and counts all. */
  buckets(): readonly { readonly bound: string; readonly count: number }[] {
    let count = 0;
    return this.counts.map((own, index) => {
      count += own;
      return { bound: String(BOUNDS[index] ?? '+Inf'), count };
    });
  }

  /** Seconds of all together. */
  sum(): number {
    return this.sumSeconds;
  }
}
