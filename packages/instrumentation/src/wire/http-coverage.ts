import { processState } from '@reenact/trace-model';

/** Whether requests of this process are recorded whoever sends them. */
class HttpCoverage {
  private installations = 0;
  /** What runs only while they are not, with how to stop each that runs. */
  private readonly watches = new Map<() => () => void, (() => void) | undefined>();

  /** Says that an instrumentation sees every request that is sent from now on. Returns how to take that back. */
  cover(): () => void {
    this.installations += 1;
    for (const [start, stop] of this.watches) {
      stop?.();
      this.watches.set(start, undefined);
    }
    return () => {
      this.installations -= 1;
      if (this.installations === 0) for (const start of this.watches.keys()) this.watches.set(start, start());
    };
  }

  /**
   * Starts something while no instrumentation sees requests, and stops it while one does: who listens to the platform's
   * channels changes what others may say in the headers. Returns how to stop it for good.
   */
  whileUncovered(start: () => () => void): () => void {
    this.watches.set(start, this.installations === 0 ? start() : undefined);
    return () => {
      this.watches.get(start)?.();
      this.watches.delete(start);
    };
  }
}

/** The state of this process, shared between all copies of this package that are loaded. */
export const httpCoverage: HttpCoverage = processState('http-coverage.1', () => new HttpCoverage());
