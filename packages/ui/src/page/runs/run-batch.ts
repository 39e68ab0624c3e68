import type { RunSummary } from '@reenact/trace-model/collector-api';

/** A list that is drawn anew for each of fifty runs a second does nothing else. */
const TOLD_EVERY_MS = 250;

/** Gathers runs as they come and tells of all of them, a few times a second at most. */
export class RunBatch {
  private readonly runs = new Map<string, RunSummary>();
  private readonly tell: (runs: ReadonlyMap<string, RunSummary>) => void;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(tell: (runs: ReadonlyMap<string, RunSummary>) => void) {
    this.tell = tell;
  }

  /** What is said last of a run stands. */
  add(run: RunSummary): void {
    this.runs.set(run.traceId, run);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.tell(new Map(this.runs));
    }, TOLD_EVERY_MS);
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}
