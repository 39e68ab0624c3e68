import { decodeExportResponse, decodeRpcStatus } from '@reenact/otlp';
import { FORWARD_TIMEOUT_MS } from '../limits.ts';
import type { QueuedSignal } from '../store/store.ts';
import { readRetryAfter } from './backoff.ts';
import type { OutgoingRequest } from './write-batch.ts';

/** How one delivery ended. */
export type Delivery =
  | { readonly type: 'delivered'; readonly rejected: number; readonly reason: string }
  | { readonly type: 'retry'; readonly reason: string; readonly askedMs: number | undefined }
  | { readonly type: 'too-large'; readonly reason: string }
  | { readonly type: 'dropped'; readonly reason: string };

const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const TOO_LARGE = 413;
const REASON_LENGTH_MAX = 200;

/** The address for a signal: the path is appended unless the configured address has one of its own. */
export function endpointOf(url: string, signal: QueuedSignal): string {
  const endpoint = new URL(url);
  if (endpoint.pathname === '/' || endpoint.pathname === '') endpoint.pathname = `/v1/${signal}`;
  else endpoint.pathname = endpoint.pathname.replace(/\/v1\/traces$/, `/v1/${signal}`);
  return endpoint.href;
}

/** Sends one request and says what became of it, as the OTLP specification reads the answer. Never throws. */
export async function deliver(endpoint: string, request: OutgoingRequest, signal: AbortSignal): Promise<Delivery> {
  try {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': request.format === 'json' ? 'application/json' : 'application/x-protobuf' },
      body: request.body as Uint8Array<ArrayBuffer>,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(FORWARD_TIMEOUT_MS)]),
    });
    const answer = new Uint8Array(await response.arrayBuffer());
    return readAnswer(response, answer);
  } catch (thrown) {
    return { type: 'retry', reason: describeFailure(thrown), askedMs: undefined };
  }
}

function readAnswer(response: Response, answer: Uint8Array): Delivery {
  if (response.ok) {
    const outcome = isProtobuf(response) ? decodeExportResponse(answer) : readJsonOutcome(answer);
    return { type: 'delivered', rejected: outcome?.rejected ?? 0, reason: shorten(outcome?.message ?? '') };
  }
  const reason = shorten(`HTTP ${response.status} ${readMessage(response, answer)}`);
  if (RETRYABLE.has(response.status)) {
    return { type: 'retry', reason, askedMs: readRetryAfter(response.headers.get('retry-after'), Date.now()) };
  }
  return { type: response.status === TOO_LARGE ? 'too-large' : 'dropped', reason };
}

function isProtobuf(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith('application/x-protobuf') === true;
}

function readJsonOutcome(answer: Uint8Array): { rejected: number; message: string } | undefined {
  const partial: unknown = Reflect.get(parseObject(answer), 'partialSuccess');
  if (typeof partial !== 'object' || partial === null) return undefined;
  const counts = Object.entries(partial).filter(([member]) => member.startsWith('rejected'));
  return { rejected: Number(counts[0]?.[1] ?? 0), message: String(Reflect.get(partial, 'errorMessage') ?? '') };
}

function readMessage(response: Response, answer: Uint8Array): string {
  if (isProtobuf(response)) {
    const decoded = decodeRpcStatus(answer);
    return decoded.ok ? decoded.status.message : '';
  }
  const message: unknown = Reflect.get(parseObject(answer), 'message');
  return typeof message === 'string' ? message : Buffer.from(answer).toString('utf8', 0, REASON_LENGTH_MAX);
}

function parseObject(answer: Uint8Array): object {
  try {
    const value: unknown = JSON.parse(Buffer.from(answer).toString('utf8'));
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** fetch hides the reason of a failed connection in the cause. */
function describeFailure(thrown: unknown): string {
  const cause: unknown = thrown instanceof Error ? (thrown.cause ?? thrown) : thrown;
  const code: unknown = typeof cause === 'object' && cause !== null ? Reflect.get(cause, 'code') : undefined;
  return shorten(typeof code === 'string' ? code : cause instanceof Error ? cause.message : String(cause));
}

function shorten(text: string): string {
  return text.trim().slice(0, REASON_LENGTH_MAX);
}
