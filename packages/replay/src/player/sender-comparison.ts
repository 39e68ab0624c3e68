import type { SentRequest } from '@reenact/instrumentation';
import { type Crossing, type Exchange, senderVersions } from '@reenact/trace-model';
import type { ArrivalReporter } from './arrival-reporter.ts';
import * as wording from './divergence-wording.ts';

/** One request of a call that is compared with the recorded one. */
interface ComparedRequest {
  readonly recorded: Crossing;
  readonly exchange: Exchange;
  readonly request: SentRequest;
  readonly reporter: ArrivalReporter;
  /** When the crossing was recorded to end, microseconds since the run started. */
  readonly recordedAtUs: number;
}

/** Tells which packages of model clients are of another version than when it was recorded: each such difference once. One per replay and process. */
export class SenderComparison {
  private readonly told = new Set<string>();

  /** Compares those that say their version in both requests. */
  compare({ recorded, exchange, request, reporter, recordedAtUs }: ComparedRequest): void {
    const before = senderVersions(exchange.request.headers);
    for (const [name, now] of Object.entries(request.senders)) {
      const was = before[name];
      if (was === undefined || was === now) continue;
      const difference = `${name} ${was} ${now}`;
      if (this.told.has(difference)) continue;
      this.told.add(difference);
      const sender = name === '' ? `The client of ${recorded.name}` : name;
      const words = wording.senderChanged(sender, was, now);
      const entry = { path: '$', recorded: JSON.stringify(was), live: JSON.stringify(now) };
      reporter.environment(words, { candidate: recorded, difference: { entries: [entry], total: 1 }, recordedAtUs });
    }
  }
}
