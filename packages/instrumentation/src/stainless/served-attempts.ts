import { decodeValue, isReenactError } from '@reenact/trace-model';
import { serveFetchExchange, untilAborted } from '../exchange/fetch-exchange-serve.ts';
import { startedAfterUs } from '../exchange/servable-exchange.ts';
import type { StubAdmission } from '../results/served-value.ts';

/** One attempt that is asked to be answered. */
export interface AskedAttempt {
  readonly url: string;
  readonly headers: Iterable<readonly [string, string]>;
  readonly signal: AbortSignal | undefined;
}

const never = (): Promise<never> => new Promise(() => undefined);

/**
 * Answers the attempts of a client or provider from the recorded exchanges, one after the other. What cannot be answered never fails
 * inside its fetch, where a retry loop would swallow it: that attempt stays pending and `failure` rejects.
 */
export class ServedAttempts {
  /** Rejects with what the whole call has to fail with; never resolves. */
  readonly failure: Promise<never>;
  private readonly admission: StubAdmission;
  private readonly asking: string;
  private reject: (error: unknown) => void = () => undefined;
  private served = 0;

  /** `asking`: who makes attempts, for the failure of one too many. */
  constructor(admission: StubAdmission, asking = 'The client made attempt') {
    this.admission = admission;
    this.asking = asking;
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

  /** Answers the next attempt, once the replay has been told what it asks for. */
  next({ url, headers, signal }: AskedAttempt): Promise<Response> {
    const { recorded, release } = this.admission;
    const index = this.served;
    const exchange = recorded.exchanges[index];
    if (exchange === undefined) return this.beyond(signal);
    this.served += 1;
    const refusal = this.admission.sends({ attempt: index, url, headers });
    if (refusal !== undefined) {
      this.reject(refusal);
      return never();
    }
    const isLast = index === recorded.exchanges.length - 1;
    const served = serveFetchExchange(exchange, {
      release,
      startedAfterUs: startedAfterUs(recorded, exchange),
      isLast,
      wasAborted: isLast && (recorded.outcome.type === 'aborted' || recorded.outcome.type === 'pending'),
      signal,
      beyond: recorded.outcome.type === 'pending' ? undefined : (detail) => this.admission.exhausted(detail),
    });
    return served.catch((error: unknown) => {
      if (!isReenactError(error)) throw error;
      // Ours and not the provider's: the client must not take it for a broken connection and try again.
      this.reject(error);
      return never();
    });
  }

  /** Fails the whole call because it asked for something that was not recorded. */
  exhaust(detail: string): void {
    this.reject(this.admission.exhausted(detail));
  }

  private beyond(signal: AbortSignal | undefined): Promise<Response> {
    const { outcome, exchanges } = this.admission.recorded;
    // The recorded caller gave up while the client was waiting to try again: so will this one.
    if (outcome.type === 'aborted' || outcome.type === 'pending') return untilAborted(signal);
    if (outcome.type === 'threw' && outcome.error !== undefined && exchanges.length === 0) {
      // It failed before anything was sent, for example for want of a token that a replay does not ask for.
      const { error } = outcome;
      this.admission.release.settle().then(() => this.reject(decodeValue(error)), this.reject);
      return never();
    }
    this.exhaust(`${this.asking} ${this.served + 1}, and ${exchanges.length} were recorded.`);
    return never();
  }
}
