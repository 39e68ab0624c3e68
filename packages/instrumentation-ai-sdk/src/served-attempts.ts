import { type StubAdmission, serveFetchExchange, untilAborted } from '@reenact/instrumentation';
import { type Crossing, isReenactError } from '@reenact/trace-model';

const never = (): Promise<never> => new Promise(() => undefined);

/** Microseconds from the start of the recorded crossing to the start of one of its exchanges; 0 where that is unknown. */
function startedAfterUs(recorded: Crossing, startedAtUnixNano: string): number {
  if (!/^\d+$/.test(startedAtUnixNano)) return 0;
  return Math.max(0, Number((BigInt(startedAtUnixNano) - recorded.startTimeUnixNano) / 1_000n));
}

/**
 * Answers the requests of a provider from the recorded exchanges, one after the other. What cannot be answered never fails
 * inside the provider, which would make an error of its own of it: that request stays pending and `failure` rejects.
 */
export class ServedAttempts {
  /** Rejects with what the whole call has to fail with; never resolves. */
  readonly failure: Promise<never>;
  private readonly admission: StubAdmission;
  private reject: (error: unknown) => void = () => undefined;
  private served = 0;

  constructor(admission: StubAdmission) {
    this.admission = admission;
    this.failure = new Promise<never>((_, reject) => {
      this.reject = reject;
    });
    // Whoever races it handles it; when nobody does any more, the call is over.
    this.failure.catch(() => undefined);
  }

  /** How many recorded exchanges have been served. */
  get count(): number {
    return this.served;
  }

  /** How many exchanges were recorded. */
  get recordedCount(): number {
    return this.admission.recorded.exchanges.length;
  }

  /** Answers the next request. */
  next(signal: AbortSignal | undefined): Promise<Response> {
    const { recorded, release } = this.admission;
    const index = this.served;
    const exchange = recorded.exchanges[index];
    const wasStopped = recorded.outcome.type === 'aborted' || recorded.outcome.type === 'pending';
    if (exchange === undefined) {
      if (wasStopped) return untilAborted(signal);
      this.exhaust(`The provider made request ${index + 1}, and ${this.recordedCount} were recorded.`);
      return never();
    }
    this.served += 1;
    const isLast = index === recorded.exchanges.length - 1;
    const served = serveFetchExchange(exchange, {
      release,
      startedAfterUs: startedAfterUs(recorded, exchange.startedAtUnixNano),
      isLast,
      wasAborted: isLast && wasStopped,
      signal,
    });
    return served.catch((error: unknown) => {
      if (!isReenactError(error)) throw error;
      this.reject(error);
      return never();
    });
  }

  /** Fails the whole call because it asked for something that was not recorded. */
  exhaust(detail: string): void {
    this.reject(this.admission.exhausted(detail));
  }
}
