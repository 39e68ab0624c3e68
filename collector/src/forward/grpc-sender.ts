import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { type ConvertedMetrics, decodeExportResponse, decodeRpcStatus, metricsToProtobuf } from '@reenact/otlp';
import { FORWARD_ANSWER_BYTES_MAX } from '../limits.ts';
import { SIGNAL_SERVICES } from '../signal-services.ts';
import type { QueuedSignal } from '../store/store.ts';
import type { Delivery, Sender, SenderOptions } from './delivery.ts';
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

/** Sends OTLP/gRPC over one connection. */
export class GrpcSender implements Sender {
  private readonly client: Client;
  private readonly metadata = new Metadata();
  private readonly timeoutMs: number;

  constructor({ url, headers, access, limits }: SenderOptions) {
    const { protocol, hostname, port } = new URL(url);
    const isEncrypted = protocol === 'https:';
    const own = isEncrypted
      ? credentials.createSsl(access.ca ?? null, access.key ?? null, access.certificate ?? null)
      : credentials.createInsecure();
    this.client = new Client(`${hostname}:${port === '' ? (isEncrypted ? '443' : '80') : port}`, own, {
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
    if (path === undefined) return Promise.resolve({ type: 'dropped', reason: `${signal} have no gRPC service` });
    const written = toProtobuf(request);
    if (!written.ok) {
      const reason = shortReason(`${signal} that were received as JSON are not OTLP: ${written.problem.message}`);
      return Promise.resolve({ type: 'dropped', reason });
    }
    const bytes = Buffer.from(written.bytes.buffer, written.bytes.byteOffset, written.bytes.length);
    const options = { deadline: Date.now() + this.timeoutMs };
    return new Promise((resolve) => {
      const call = this.client.makeUnaryRequest(path, same, same, bytes, this.metadata, options, (error, answer) => {
        abort.removeEventListener('abort', cancel);
        resolve(error === null ? readAnswer(answer) : readError(error));
      });
      const cancel = () => call.cancel();
      abort.addEventListener('abort', cancel, { once: true });
    });
  }

  close(): void {
    this.client.close();
  }
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

function readError(error: ServiceError): Delivery {
  // The gRPC client ends with the title of a note also where there is none.
  const details = error.details.replace(/\.? Resolution note:\s*$/, '');
  const reason = shortReason(`gRPC ${status[error.code] ?? error.code} ${details}`);
  const askedMs = readRetryDelay(error);
  if (RETRYABLE.has(error.code)) return { type: 'retry', reason, askedMs };
  if (error.code !== status.RESOURCE_EXHAUSTED) return { type: 'dropped', reason };
  return askedMs === undefined ? { type: 'too-large', reason } : { type: 'retry', reason, askedMs };
}

function readRetryDelay({ metadata }: ServiceError): number | undefined {
  const [bytes] = metadata?.get('grpc-status-details-bin') ?? [];
  if (!Buffer.isBuffer(bytes)) return undefined;
  const decoded = decodeRpcStatus(bytes);
  return decoded.ok ? decoded.status.retryDelayMs : undefined;
}
