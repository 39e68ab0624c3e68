import { microsecondsBetween, unixNanoNow } from '@reenact/instrumentation';

const settled = Promise.resolve();

/**
 * Tells when something came off the wire. What comes in one step, before anything that waits can go on, was one read of the connection and has one
 * time: by that a replay gives it in one read again.
 */
export class ReadClock {
  readonly startedUnixNano = unixNanoNow();
  private readUs: number | undefined;
  private readonly stepEnded = (): void => {
    this.readUs = undefined;
  };

  /** Microseconds since it was made. */
  get elapsedUs(): number {
    return microsecondsBetween(this.startedUnixNano, unixNanoNow());
  }

  /** When what comes now was read, in microseconds since it was made. */
  get readAtUs(): number {
    if (this.readUs === undefined) {
      this.readUs = this.elapsedUs;
      void settled.then(this.stepEnded);
    }
    return this.readUs;
  }
}
