import { isIP } from 'node:net';
import { type ChannelCredentials, Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { type ConvertedMetrics, decodeExportResponse, decodeRpcStatus, metricsToProtobuf } from '@reenact/otlp';
import { urlPlace } from '@reenact/trace-model';
import { PASSED_HEADER } from '../passed-collectors.ts';
import { ERROR_CODE_KEY } from '../services/error-code-key.ts';
import { SIGNAL_SERVICES } from '../services/signal-services.ts';
import type { QueuedSignal } from '../store/store.ts';
import { connectionFailure } from './connection-failure.ts';
import type { Delivery, Sender, SenderOptions } from './delivery.ts';
import { FORWARD_ANSWER_BYTES_MAX } from './limits.ts';
import { shortReason } from './short-reason.ts';
import type { OutgoingRequest } from './write-batch.ts';

/** As the OTLP specification has it, and the two that speak of our settings: what is queued waits until they are put right. */
const RETRYABLE: ReadonlySet<number> = new Set([
  status.CANCELLED,
  status.DEADLINE_EXCEEDED,
  status.ABORTED,
  status.OUT_OF_RANGE,
  status.UNAVAILABLE,
  status.DATA_LOSS,
  status.UNAUTHENTICATED,
  status.PERMISSION_DENIED,
]);

/** They speak of what is in the request, or may: servers answer the last two to what they stumble over. */
const SPEAKS_OF_ITEMS: ReadonlySet<number> = new Set([
  status.INVALID_ARGUMENT,
  status.FAILED_PRECONDITION,
  status.INTERNAL,
  status.UNKNOWN,
]);

/** Of tonic's servers (Rust) the second. */
const MAY_SPEAK_OF_SIZE: ReadonlySet<number> = new Set([status.RESOURCE_EXHAUSTED, status.OUT_OF_RANGE]);

/** As the servers of grpc-go, grpc-java, grpc-js, tonic, .NET and those built on the C core say it. */
const TOO_LARGE_WORDS =
  /larger than max|exceeds (the )?maximum( configured message)? size|message( length| is)? too (large|long)/i;

/** Sends OTLP/gRPC over one connection. */
export class GrpcSender implements Sender {
  private readonly client: Client;
  private readonly metadata = new Metadata();
  private readonly timeoutMs: number;
  private readonly isEncrypted: boolean;

  constructor({ url, headers, access, limits }: SenderOptions) {
    const target = new URL(url);
    const { host, port } = urlPlace(target);
    const isEncrypted = target.protocol === 'https:';
    this.isEncrypted = isEncrypted;
    const own = isEncrypted
      ? credentials.createSsl(access.ca ?? null, access.key ?? null, access.certificate ?? null)
      : credentials.createInsecure();
    if (isEncrypted && isIP(host) !== 0) sendNoServerName(own);
    this.client = new Client(`${target.hostname}:${port}`, own, {
      'grpc.max_send_message_length': -1,
      'grpc.max_receive_message_length': FORWARD_ANSWER_BYTES_MAX,
      // The queue waits between deliveries by itself; a connection that backs off longer would only add to it.
      'grpc.initial_reconnect_backoff_ms': limits.forwardBackoffFirstMs,
      'grpc.max_reconnect_backoff_ms': limits.forwardBackoffMaxMs,
    });
    for (const [name, value] of Object.entries(headers)) this.metadata.set(name, value);
    this.timeoutMs = limits.forwardTimeoutMs;
  }

  deliver(signal: QueuedSignal, request: OutgoingRequest, abort: AbortSignal): Promise<Delivery> {
    const path = SIGNAL_SERVICES.find((service) => service.signal === signal)?.path;
    if (abort.aborted)
      return Promise.resolve({ type: 'retry', reason: 'gRPC CANCELLED before it was sent', askedMs: undefined });
    if (path === undefined) return Promise.resolve({ type: 'dropped', reason: `${signal} have no gRPC service` });
    const written = toProtobuf(request);
    if (!written.ok) {
      const reason = shortReason(`${signal} that were received as JSON are not OTLP: ${written.problem.message}`);
      return Promise.resolve({ type: 'dropped', reason });
    }
    const bytes = Buffer.from(written.bytes.buffer, written.bytes.byteOffset, written.bytes.length);
    const metadata = this.metadata.clone();
    metadata.set(PASSED_HEADER, request.passed.join(','));
    const options = { deadline: Date.now() + this.timeoutMs };
    return new Promise((resolve) => {
      const call = this.client.makeUnaryRequest(path, same, same, bytes, metadata, options, (error, answer) => {
        abort.removeEventListener('abort', cancel);
        resolve(error === null ? readAnswer(answer) : readError(error, this.isEncrypted));
      });
      const cancel = () => call.cancel();
      abort.addEventListener('abort', cancel, { once: true });
    });
  }

  close(): void {
    this.client.close();
  }
}

/**
 * TLS names servers by names and not by addresses (RFC 6066), and Node.js warns of an address at each start. grpc-js always gives one, by members that are
 * not public, of a version that is pinned; the certificate is checked against the address all the same.
 */
function sendNoServerName(own: ChannelCredentials): void {
  const create = own._createSecureConnector.bind(own);
  own._createSecureConnector = (...target) => {
    const connector = create(...target);
    const options: unknown = Reflect.get(connector, 'connectionOptions');
    if (typeof options === 'object' && options !== null) Reflect.deleteProperty(options, 'servername');
    return connector;
  };
}

/** Only metrics are still as they came in: they are not looked into before. */
function toProtobuf({ format, body }: OutgoingRequest): ConvertedMetrics {
  return format === 'json' ? metricsToProtobuf(body) : { ok: true, bytes: body };
}

function same(bytes: Buffer): Buffer {
  return bytes;
}

function readAnswer(answer: Buffer | undefined): Delivery {
  const outcome = decodeExportResponse(answer ?? new Uint8Array(0));
  return { type: 'delivered', rejected: outcome?.rejected ?? 0, reason: shortReason(outcome?.message ?? '') };
}

function readError(error: ServiceError, isEncrypted: boolean): Delivery {
  // The gRPC client ends with the title of a note also where there is none.
  const said = error.details.replace(/\.? Resolution note:\s*$/, '');
  // What a server says stays as it is.
  const [, failure] = /^No connection established\. Last error: (?:Error: )?(.*)/s.exec(said) ?? [];
  const details = failure === undefined ? said : `no connection: ${connectionFailure(failure, isEncrypted)}`;
  const reason = shortReason(`gRPC ${status[error.code] ?? error.code} ${details}`);
  const askedMs = readRetryDelay(error);
  if (MAY_SPEAK_OF_SIZE.has(error.code) && askedMs === undefined && speaksOfSize(error))
    return { type: 'too-large', reason };
  if (RETRYABLE.has(error.code) || (error.code === status.RESOURCE_EXHAUSTED && askedMs !== undefined))
    return { type: 'retry', reason, askedMs };
  if (error.code === status.RESOURCE_EXHAUSTED) return { type: 'exhausted', reason };
  return { type: SPEAKS_OF_ITEMS.has(error.code) ? 'refused' : 'dropped', reason };
}

/** gRPC has no code for a message that is too large. Its servers say so in words, each in its own; a Reenact collector in a trailer, too. */
function speaksOfSize({ details, metadata }: ServiceError): boolean {
  return metadata?.get(ERROR_CODE_KEY)[0] === 'too-large' || TOO_LARGE_WORDS.test(details);
}

function readRetryDelay({ metadata }: ServiceError): number | undefined {
  const [bytes] = metadata?.get('grpc-status-details-bin') ?? [];
  if (!Buffer.isBuffer(bytes)) return undefined;
  const decoded = decodeRpcStatus(bytes);
  return decoded.ok ? decoded.status.retryDelayMs : undefined;
}
