import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { decodeExportResponse, decodeRpcStatus } from '@reenact/otlp';
import { PASSED_HEADER } from '../passed-collectors.ts';
import type { QueuedSignal } from '../store/store.ts';
import { readRetryAfter } from './backoff.ts';
import { connectionFailure } from './connection-failure.ts';
import type { Delivery, Sender, SenderOptions } from './delivery.ts';
import { FORWARD_ANSWER_BYTES_MAX } from './limits.ts';
import { shortReason } from './short-reason.ts';
import type { OutgoingRequest } from './write-batch.ts';

/** 401 and 403 speak of our settings, not of the data: it waits until they are put right. */
const RETRYABLE: ReadonlySet<number> = new Set([401, 403, 408, 429, 502, 503, 504]);
const BAD_REQUEST = 400;
const TOO_LARGE = 413;

/** They speak of what is in the request, or may: servers answer 500 to what they stumble over. */
const SPEAKS_OF_ITEMS: ReadonlySet<number> = new Set([BAD_REQUEST, 422, 500]);

/** As servers in Go say it, the OpenTelemetry Collector among them, which answer 400. */
const TOO_LARGE_WORDS = /request body too large/i;

/** The address for a signal: the path is appended unless the configured address has one of its own. */
export function endpointOf(url: string, signal: QueuedSignal): string {
  const endpoint = new URL(url);
  if (endpoint.pathname === '/' || endpoint.pathname === '') endpoint.pathname = `/v1/${signal}`;
  else endpoint.pathname = endpoint.pathname.replace(/\/v1\/traces$/, `/v1/${signal}`);
  return endpoint.href;
}

interface HttpAnswer {
  readonly status: number;
  readonly type: string;
  readonly retryAfter: string | undefined;
  readonly body: Buffer;
}

/** Sends OTLP/HTTP over connections that are kept. */
export class HttpSender implements Sender {
  private readonly options: SenderOptions;
  private readonly isEncrypted: boolean;
  private readonly agent: HttpAgent;

  constructor(options: SenderOptions) {
    this.options = options;
    this.isEncrypted = options.url.startsWith('https:');
    const { ca, certificate, key } = options.access;
    const trust = ca === undefined ? {} : { ca };
    const own = certificate === undefined || key === undefined ? {} : { cert: certificate, key };
    const keep = { keepAlive: true, maxSockets: 1 };
    this.agent = this.isEncrypted ? new HttpsAgent({ ...keep, ...trust, ...own }) : new HttpAgent(keep);
  }

  async deliver(signal: QueuedSignal, request: OutgoingRequest, abort: AbortSignal): Promise<Delivery> {
    const limit = AbortSignal.any([abort, AbortSignal.timeout(this.options.limits.forwardTimeoutMs)]);
    try {
      return readAnswer(await this.post(endpointOf(this.options.url, signal), request, limit));
    } catch (thrown) {
      return { type: 'retry', reason: describeFailure(thrown, this.isEncrypted), askedMs: undefined };
    }
  }

  close(): void {
    this.agent.destroy();
  }

  private post(endpoint: string, { format, body, passed }: OutgoingRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const headers: OutgoingHttpHeaders = {
      ...this.options.headers,
      'content-type': format === 'json' ? 'application/json' : 'application/x-protobuf',
      'content-length': body.length,
      ...(passed.length === 0 ? {} : { [PASSED_HEADER]: passed.join(',') }),
    };
    const { agent } = this;
    const open = this.isEncrypted ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const request = open(endpoint, { method: 'POST', headers, agent, signal }, (response) => {
        readBody(response).then(resolve, reject);
      });
      request.on('error', reject);
      request.end(body);
    });
  }
}

/** What is beyond the bound of an answer is read and thrown away: only its beginning says anything. */
async function readBody(response: IncomingMessage): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (bytes < FORWARD_ANSWER_BYTES_MAX) chunks.push(chunk);
    bytes += chunk.length;
  }
  return {
    status: response.statusCode ?? 0,
    type: response.headers['content-type'] ?? '',
    retryAfter: response.headers['retry-after'],
    body: Buffer.concat(chunks),
  };
}

function readAnswer(answer: HttpAnswer): Delivery {
  const { status, body, retryAfter } = answer;
  if (status >= 200 && status < 300) {
    const outcome = isProtobuf(answer) ? decodeExportResponse(body) : readJsonOutcome(body);
    return { type: 'delivered', rejected: outcome?.rejected ?? 0, reason: shortReason(outcome?.message ?? '') };
  }
  const reason = shortReason(`HTTP ${status} ${readMessage(answer)}`);
  if (RETRYABLE.has(status)) {
    return { type: 'retry', reason, askedMs: readRetryAfter(retryAfter ?? null, Date.now()) };
  }
  const isTooLarge = status === TOO_LARGE || (status === BAD_REQUEST && TOO_LARGE_WORDS.test(reason));
  if (isTooLarge) return { type: 'too-large', reason };
  return { type: SPEAKS_OF_ITEMS.has(status) ? 'refused' : 'dropped', reason };
}

function isProtobuf({ type }: HttpAnswer): boolean {
  return type.startsWith('application/x-protobuf');
}

function readJsonOutcome(body: Buffer): { rejected: number; message: string } | undefined {
  const partial: unknown = Reflect.get(parseObject(body), 'partialSuccess');
  if (typeof partial !== 'object' || partial === null) return undefined;
  const counts = Object.entries(partial).filter(([member]) => member.startsWith('rejected'));
  const rejected = Math.max(Number(counts[0]?.[1] ?? 0), 0) || 0;
  return { rejected, message: String(Reflect.get(partial, 'errorMessage') ?? '') };
}

function readMessage(answer: HttpAnswer): string {
  if (isProtobuf(answer)) {
    const decoded = decodeRpcStatus(answer.body);
    return decoded.ok ? decoded.status.message : '';
  }
  const message: unknown = Reflect.get(parseObject(answer.body), 'message');
  return typeof message === 'string' ? message : answer.body.toString('utf8');
}

function parseObject(body: Buffer): object {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Failures whose own words say nothing of what is wrong. */
const MEANINGS: Readonly<Record<string, string>> = {
  ABORT_ERR: 'no answer in time',
  HPE_INVALID_CONSTANT: 'HPE_INVALID_CONSTANT: the answer is not HTTP/1.1; a port of gRPC needs "protocol": "grpc"',
};

function describeFailure(thrown: unknown, isEncrypted: boolean): string {
  const code: unknown = typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, 'code') : undefined;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const said = typeof code !== 'string' || message.includes(code) ? message : `${code} ${message}`;
  return shortReason(MEANINGS[String(code)] ?? connectionFailure(said, isEncrypted));
}
