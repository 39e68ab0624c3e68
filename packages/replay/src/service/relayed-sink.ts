import { pristine } from '@reenact/instrumentation';
import type { EventSink } from '../events/event-sink.ts';
import type { ReplayEvent, StampedEvent } from '../events/replay-event.ts';
import { reportClockUs } from '../events/report-clock.ts';
import { RELAY_DELAY_MS, RELAYED_BYTES_WAITING_MAX } from '../limits.ts';

/** Who reports. */
export interface Reporter {
  readonly processId: string;
  readonly service: string;
}

/** Sends lines to the driver's side; `flush`: the question this answers, 0 for none. Rejects where they did not arrive. */
export type SendLines = (lines: Buffer, flush: number) => Promise<void>;

/**
 * Collects what a player reports in a shared process and sends it on in small batches, in order. Bounded: what cannot be sent and
 * would pile up is left out, and the report says so. `write` never throws.
 */
export class RelayedSink implements EventSink {
  private readonly reporter: Reporter;
  private readonly send: SendLines;
  private waiting: string[] = [];
  private waitingBytes = 0;
  private isFull = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private sending: Promise<void> = Promise.resolve();

  constructor(reporter: Reporter, send: SendLines) {
    this.reporter = reporter;
    this.send = send;
  }

  write(event: ReplayEvent): void {
    if (this.isFull) return;
    this.isFull = this.waitingBytes > RELAYED_BYTES_WAITING_MAX;
    const text = 'This process reported faster than it could be sent: what came after is missing.';
    const kept: ReplayEvent = this.isFull ? { type: 'note', text, unverified: true } : event;
    const stamped: StampedEvent = { ...this.reporter, atUs: reportClockUs(), event: kept };
    const line = `${JSON.stringify(stamped)}\n`;
    this.waiting.push(line);
    this.waitingBytes += line.length;
    this.timer ??= this.later();
  }

  /** Sends everything written so far as the answer to a question of the driver's. Never rejects. */
  async answer(flush: number): Promise<void> {
    await this.sendWaiting(flush);
  }

  private later(): ReturnType<typeof setTimeout> {
    const timer = pristine.setTimeout(() => {
      this.timer = undefined;
      void this.sendWaiting(0);
    }, RELAY_DELAY_MS);
    timer.unref();
    return timer;
  }

  private sendWaiting(flush: number): Promise<void> {
    this.sending = this.sending.then(() => this.sendBatch(flush));
    return this.sending;
  }

  private async sendBatch(flush: number): Promise<void> {
    const lines = this.waiting;
    const bytes = this.waitingBytes;
    if (lines.length === 0 && flush === 0) return;
    this.waiting = [];
    this.waitingBytes = 0;
    try {
      await this.send(Buffer.from(lines.join(''), 'utf8'), flush);
    } catch {
      // Kept for the next time: the driver asks again before it builds its report.
      this.waiting = [...lines, ...this.waiting];
      this.waitingBytes += bytes;
    }
  }
}
