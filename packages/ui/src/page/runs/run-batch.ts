import type { RunSummary } from '@reenact/trace-model/collector-api';

/** A list that is drawn anew for each of fifty runs a second does nothing else. */
const TOLD_EVERY_MS = 250;

/** Runs that came or changed, by trace id; `left` where one no longer belongs into the list. */
export type RunsSince = ReadonlyMap<string, RunSummary | 'left'>;

/** Gathers runs as they come and tells of all of them, a few times a second at most. */
export class RunBatch {
  private readonly runs = new Map<string, RunSummary | 'left'>();
  private readonly tell: (runs: RunsSince) => void;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isStopped = false;

  constructor(tell: (runs: RunsSince) => void) {
    this.tell = tell;
  }

  /** What is said last of a run stands. */
  add(traceId: string, run: RunSummary | 'left'): void {
    this.runs.set(traceId, run);
    if (this.isStopped) return;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.tell(new Map(this.runs));
    }, TOLD_EVERY_MS);
  }

  /** What comes later is told no more. */
  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }
}
