import type { Metadata, StatusObject } from '@grpc/grpc-js';
import {
  BodyTape,
  definedAttributes,
  guarded,
  type MethodMessages,
  microsecondsBetween,
  type OpenCrossing,
  type RawOutcome,
  recordedHeaders,
  unixNanoNow,
} from '@reenact/instrumentation';
import { ATTR_ERROR_TYPE, ATTR_RPC_RESPONSE_STATUS_CODE } from '@reenact/semconv/core';
import type { Exchange, ExchangeResponse } from '@reenact/trace-model';
import { metadataPairs } from '../metadata-pairs.ts';
import { messagesOfMethod } from '../names/learned-methods.ts';
import { redactNamed, whenRead } from '../names/message-objects.ts';
import { comparedMetadata, MessageTape, type RpcInput } from '../rpc-call.ts';
import { statusName } from '../status-name.ts';
import type { WireListener } from '../wire-call.ts';
import { isNoted } from './note-messages.ts';

/** What of a call is known before it begins. */
export interface CallFacts {
  readonly path: string;
  readonly target: string;
}

/**
 * Records one call under its crossing. A call whose messages were all sent in the turn in which it began has them in its input.
 * Any other is a stream: they are in the exchange, for they are not known when it is looked up. Kept is the
 * `grpc` layer: messages as they are serialized, metadata and status.
 */
export class CallRecorder {
  private readonly facts: CallFacts;
  private readonly crossing: OpenCrossing;
  private readonly startedUnixNano = unixNanoNow();
  private readonly sentMessages: MessageTape;
  private readonly names: MethodMessages;
  private readonly isNoted: boolean;
  private readonly received = new BodyTape();
  private sentMetadata: Metadata | undefined;
  private metadata: [string, string][] | undefined;
  private firstAfterUs: number | undefined;
  private peer = (): string => '';
  private wasCancelled = false;
  private isStream = false;
  private hasHalfClosed = false;
  private hasEnded = false;
  private isRedacted = false;

  constructor(facts: CallFacts, crossing: OpenCrossing) {
    this.facts = facts;
    this.crossing = crossing;
    this.names = messagesOfMethod(facts.path);
    this.isNoted = this.names.response === undefined && isNoted(facts.path);
    this.sentMessages = new MessageTape(this.names.request);
    crossing.exchanging(() => this.underWay());
  }

  /** The call begins. `peer`: tells whom it is made with, once that is known. */
  started(metadata: Metadata, peer: () => string): void {
    this.peer = peer;
    this.sentMetadata = metadata.clone();
    this.crossing.completeInput(this.input({}));
    process.nextTick(() => {
      if (!this.hasHalfClosed) this.isStream = true;
    });
  }

  /** A message is sent. */
  sent(message: Uint8Array): void {
    this.sentMessages.keep(message, this.elapsedUs());
  }

  /** Nothing more is sent: the input is known. */
  halfClosed(): void {
    this.hasHalfClosed = true;
    const { messages, redacted } = this.sentMessages;
    if (!this.isStream) this.crossing.completeInput(this.input({ messages }), redacted);
  }

  private input(messages: Pick<RpcInput, 'messages'>): RpcInput {
    const { path, target } = this.facts;
    return { method: path, target, ...messages, ...comparedMetadata(this.sentMetadata) };
  }

  /** The caller calls it off. */
  cancelled(): void {
    this.wasCancelled = true;
  }

  /** The listener to call with: it is told first, so that the crossing has ended when the host learns of the end. */
  listener(given: WireListener, around: (call: () => void) => void): WireListener {
    return {
      onReceiveMetadata: (metadata) => {
        guarded('recording metadata', () => this.sawMetadata(metadata), undefined);
        around(() => given.onReceiveMetadata(metadata));
      },
      onReceiveMessage: (message) => {
        const afterUs = this.elapsedUs();
        const keep = (): void => guarded('recording a message', () => this.keepReceived(message, afterUs), undefined);
        whenRead(message, this.isNoted, keep, () => around(() => given.onReceiveMessage(message)));
      },
      onReceiveStatus: (status) => {
        guarded('recording a status', () => this.ended(status), undefined);
        around(() => given.onReceiveStatus(status));
      },
    };
  }

  private keepReceived(message: Uint8Array, afterUs: number): void {
    const kept = redactNamed(message, this.names.response);
    if (kept !== message && !this.isRedacted) {
      this.isRedacted = true;
      this.crossing.markLossy('/exchanges/0/response/chunks redacted');
    }
    this.received.keep(kept, afterUs);
  }

  private sawMetadata(metadata: Metadata): void {
    this.metadata = metadataPairs(metadata);
    this.firstAfterUs = this.elapsedUs();
  }

  private elapsedUs(): number {
    return microsecondsBetween(this.startedUnixNano, unixNanoNow());
  }

  private ended(status: StatusObject): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    const code = statusName(status.code);
    this.crossing.describe({
      slim: definedAttributes({
        [ATTR_RPC_RESPONSE_STATUS_CODE]: code,
        [ATTR_ERROR_TYPE]: status.code === 0 ? undefined : code,
      }),
    });
    if (this.received.cut !== undefined || this.sentMessages.isCut) {
      this.crossing.markLossy('/exchanges/0/response/chunks too-large');
    }
    this.crossing.addExchange(this.exchange(this.response(status)));
    this.crossing.settle(this.outcome(status));
  }

  private outcome({ code, details }: StatusObject): RawOutcome {
    if (this.wasCancelled) return { type: 'aborted', chunks: [] };
    if (code === 0) return { type: 'returned', value: undefined };
    return {
      type: 'threw',
      error: Object.assign(new Error(`${code} ${statusName(code)}: ${details}`), { code, details }),
    };
  }

  private underWay(): Exchange | undefined {
    if (this.hasEnded || (this.metadata === undefined && this.received.chunks.length === 0)) return undefined;
    return this.exchange(this.response(undefined));
  }

  private exchange(response: ExchangeResponse | undefined): Exchange {
    const { path, target } = this.facts;
    return {
      layer: 'grpc',
      attempt: 0,
      startedAtUnixNano: this.startedUnixNano.toString(),
      request: {
        method: 'POST',
        url: `grpc://${target}${path}`,
        headers: recordedHeaders(metadataPairs(this.sentMetadata)),
        ...(this.isStream ? { messages: [...this.sentMessages.chunks] } : {}),
      },
      ...(response === undefined ? {} : { response }),
    };
  }

  /** Without a status it has not ended. A call that its caller called off has only what came before. */
  private response(status: StatusObject | undefined): ExchangeResponse {
    const { chunks, cut } = this.received;
    const trailers = metadataPairs(status?.metadata);
    const isWhole = cut === undefined && !this.sentMessages.isCut && status !== undefined;
    return {
      status: status?.code ?? 0,
      statusText: status?.details ?? '',
      url: this.peer(),
      headers: recordedHeaders(this.metadata ?? []),
      headersAfterUs: this.firstAfterUs ?? this.elapsedUs(),
      chunks: [...chunks],
      end: this.wasCancelled ? 'aborted' : isWhole ? 'complete' : 'open',
      endAfterUs: this.elapsedUs(),
      hasBody: this.metadata !== undefined,
      ...(trailers.length === 0 ? {} : { trailers: recordedHeaders(trailers) }),
      ...(cut === undefined ? {} : { cut }),
    };
  }
}
