import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { offPair } from '@reenact/trace-model';
import { guarded } from '../host/report-failure.ts';
import { REJECTION_REASON_CHARACTERS_MAX } from '../limits.ts';
import { requestWriter, type SerializeRequest } from './request-writer.ts';

/** Where OpenTelemetry's exporters turn bytes into answers: in a member that is private, so that it may be missing. */
interface Serializer {
  serializeRequest?: SerializeRequest;
  deserializeResponse(bytes: Uint8Array): unknown;
}

/** What a receiver answered that took a request, beside having taken it. */
export interface ReceiverAnswer {
  /** It is a page for people: no receiver of OTLP is there, and nothing was taken. */
  readonly isPage: boolean;
  /** How many of the spans it rejected for good, by a partial success (OTLP specification, "Partial Success"), and why. */
  readonly rejected: { readonly count: number; readonly reason: string } | undefined;
}

/** What sends for an exporter: its own tries included, it tells what the receiver asked for and its caller is not told. */
interface Transport {
  send(data: Uint8Array, timeoutMs: number): Promise<{ readonly status: string; readonly retryInMillis?: number }>;
}

const watches = new WeakMap<SpanExporter, AnswerWatch | null>();

/**
 * Reads the answers that an OTLP exporter gets. OpenTelemetry's own tell their caller nothing but that a status was below 300: a single-page app that
 * answers every address with its page, or a receiver that rejects half of the spans, has taken everything then. Used for one request at a time.
 */
export class AnswerWatch {
  private answer: ReceiverAnswer | undefined;
  /** For how long the receiver asked to be left alone, by `Retry-After`, when it last took nothing. */
  private askedMs: number | undefined;

  /** The watch of this exporter, begun when it is first asked for; undefined where the exporter is none of OpenTelemetry's. */
  static of(exporter: SpanExporter): AnswerWatch | undefined {
    const known = watches.get(exporter);
    if (known !== undefined) return known ?? undefined;
    const begun = guarded('watching the answers of an exporter', () => AnswerWatch.begin(exporter), undefined);
    watches.set(exporter, begun ?? null);
    return begun;
  }

  private static begin(exporter: SpanExporter): AnswerWatch | undefined {
    const { _delegate: delegate } = exporter as { _delegate?: { _serializer?: Serializer; _transport?: Transport } };
    const serializer = delegate?._serializer;
    if (delegate === undefined || typeof serializer?.deserializeResponse !== 'function') return undefined;
    const watch = new AnswerWatch();
    // The serializer is one for all exporters of a process: those of the host keep theirs.
    const watched: Serializer = Object.create(serializer);
    watched.deserializeResponse = (bytes) => watch.read(bytes, (given) => serializer.deserializeResponse(given));
    const { serializeRequest } = serializer;
    if (serializeRequest !== undefined)
      watched.serializeRequest = requestWriter((spans) => serializeRequest.call(serializer, spans));
    delegate._serializer = watched;
    if (typeof delegate._transport?.send === 'function') watch.listenTo(delegate._transport);
    return watch;
  }

  private listenTo(transport: Transport): void {
    const send = transport.send.bind(transport);
    transport.send = async (data, timeoutMs) => {
      const result = await send(data, timeoutMs);
      this.askedMs = result.retryInMillis;
      return result;
    };
  }

  /** What the receiver asked for since it was last asked, milliseconds. */
  takeAskedMs(): number | undefined {
    const { askedMs } = this;
    this.askedMs = undefined;
    return askedMs;
  }

  /** What was answered since it was last asked. */
  take(): ReceiverAnswer | undefined {
    const { answer } = this;
    this.answer = undefined;
    return answer;
  }

  private read(bytes: Uint8Array, deserialize: (bytes: Uint8Array) => unknown): unknown {
    const page = isPage(bytes);
    // Of what cannot be read as an answer some exporters throw, and others make an empty one.
    this.answer = { isPage: page, rejected: undefined };
    const response = deserialize(bytes);
    this.answer = { isPage: page, rejected: rejectedIn(response) };
    return response;
  }
}

/**
 * Told by how it begins, spaces aside. An answer in protobuf may begin with a line break and `<`, which is a partial success of 60 bytes; but no letter and
 * no mark comes next in it.
 */
function isPage(bytes: Uint8Array): boolean {
  return /^\uFEFF?\s*<[!?a-z]/i.test(new TextDecoder().decode(bytes.subarray(0, 256)));
}

function rejectedIn(response: unknown): ReceiverAnswer['rejected'] {
  const { partialSuccess } = (response ?? {}) as {
    partialSuccess?: { rejectedSpans?: unknown; errorMessage?: unknown } | null;
  };
  const count = Number(partialSuccess?.rejectedSpans ?? 0);
  if (!(count > 0)) return undefined;
  const reason = partialSuccess?.errorMessage;
  const isText = typeof reason === 'string' && reason !== '';
  return {
    count,
    reason: isText ? reason.slice(0, offPair(reason, REJECTION_REASON_CHARACTERS_MAX)) : 'it gave no reason',
  };
}
