import {
  type MessageNames,
  pristine,
  type StubAdmission,
  servableExchange,
  startedAfterUs,
} from '@reenact/instrumentation';
import { chunkBytes, type Exchange, type ExchangeChunk, type ExchangeResponse } from '@reenact/trace-model';
import { metadataOf } from '../metadata-pairs.ts';
import { redactNamed } from '../names/message-objects.ts';
import { REFUSED_STATUS_CODE } from '../status-name.ts';
import type { MetadataClass, WireListener } from '../wire-call.ts';

/** One turn of the event loop, which no replay makes virtual. */
function turn(): Promise<void> {
  return new Promise((resolve) => pristine.setImmediate(resolve));
}

/** What a served call is made of. */
export interface ServedCallParts {
  readonly admission: StubAdmission;
  readonly listener: WireListener;
  readonly Metadata: MetadataClass;
  /** The definition of the messages that are sent, where that is known. */
  readonly names: MessageNames | undefined;
}

/** Answers one call from its recorded exchange, message by message, each only where the caller has asked for it. */
export class ServedCall {
  private readonly admission: StubAdmission;
  private readonly listener: WireListener;
  private readonly Metadata: MetadataClass;
  private readonly names: MessageNames | undefined;
  private reads = 0;
  private sent = 0;
  private expected: readonly ExchangeChunk[] | undefined;
  private isOver = false;
  private wake = (): void => undefined;

  constructor({ admission, listener, Metadata, names }: ServedCallParts) {
    this.admission = admission;
    this.listener = listener;
    this.Metadata = Metadata;
    this.names = names;
  }

  /** The caller asks for one more message. */
  read(): void {
    this.reads += 1;
    this.wake();
  }

  /** The caller sends a message of a stream: it must be the one that was recorded at this place. */
  send(message: Uint8Array): void {
    const recorded = this.expected?.[this.sent];
    this.sent += 1;
    if (this.expected === undefined) return;
    if (recorded === undefined || !Buffer.from(chunkBytes(recorded)).equals(redactNamed(message, this.names))) {
      const { path } = this.admission.recorded;
      const what = recorded === undefined ? 'is one more than was recorded' : 'is not the one that was recorded';
      this.refuse(`Message ${this.sent} sent on ${path} ${what}.`);
    }
    this.wake();
  }

  /** The caller sends nothing more. */
  halfClose(): void {
    const missing = (this.expected?.length ?? 0) - this.sent;
    if (missing > 0) {
      this.refuse(`${this.admission.recorded.path} was ended ${missing} messages earlier than recorded.`);
    }
  }

  /** Ends the call from this side, as the caller said. */
  cancel(code: number, details: string): void {
    this.end(code, details, []);
  }

  private refuse(detail: string): void {
    if (!this.isOver) this.end(REFUSED_STATUS_CODE, this.admission.exhausted(detail).message, []);
  }

  private end(code: number, details: string, trailers: readonly (readonly [string, string])[]): void {
    if (this.isOver) return;
    this.isOver = true;
    this.wake();
    const metadata = metadataOf(this.Metadata, trailers);
    // As a real one does: whoever called it off is told later.
    process.nextTick(() => this.listener.onReceiveStatus({ code, details, metadata }));
  }

  private async until(isReached: () => boolean): Promise<void> {
    while (!this.isOver && !isReached()) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  /** Plays the recorded call. `isStream`: what the caller sends is compared message by message. Never throws. */
  async play(isStream: boolean): Promise<void> {
    const { recorded } = this.admission;
    try {
      if (recorded.outcome.type === 'pending' && recorded.exchanges.length === 0) return;
      const exchange = servableExchange(this.admission, 'grpc');
      if (isStream) this.expected = exchange.request.messages ?? [];
      await turn();
      await this.playExchange(exchange);
    } catch (error) {
      this.end(REFUSED_STATUS_CODE, (error as Error).message, []);
    }
  }

  /** How many messages had been sent when this came. */
  private sentBy(afterUs: number): number {
    return this.expected?.filter(([sentUs]) => sentUs <= afterUs).length ?? 0;
  }

  private async reach(afterUs: number, offsetUs: number): Promise<void> {
    const before = this.sentBy(afterUs);
    await this.until(() => this.sent >= before);
    if (!this.isOver) await this.admission.release.at(offsetUs + afterUs);
  }

  private async playExchange(exchange: Exchange): Promise<void> {
    const { response } = exchange;
    // What the caller called off before anything came stays unanswered until this one does, too.
    if (response === undefined) return;
    const offsetUs = startedAfterUs(this.admission.recorded, exchange);
    if (response.hasBody) {
      await this.reach(response.headersAfterUs, offsetUs);
      if (!this.isOver) this.listener.onReceiveMetadata(metadataOf(this.Metadata, response.headers));
    }
    for (const [index, chunk] of response.chunks.entries()) {
      await this.reach(chunk[0], offsetUs);
      await this.until(() => this.reads > index);
      if (!this.isOver) this.listener.onReceiveMessage(Buffer.from(chunkBytes(chunk)));
      await turn();
    }
    await this.finish(response);
  }

  private async finish(response: ExchangeResponse): Promise<void> {
    switch (response.end) {
      case 'complete': {
        const before = this.sentBy(response.endAfterUs);
        await this.until(() => this.sent >= before);
        if (this.isOver) return;
        await this.admission.release.settle();
        this.end(response.status, response.statusText, response.trailers ?? []);
        return;
      }
      case 'failed':
      case 'aborted':
      case 'open':
        // Nothing more was recorded: pending until the caller calls it off, as it did then.
        return;
    }
  }
}
