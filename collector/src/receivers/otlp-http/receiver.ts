import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type ExportSignal,
  encodeExportResponse,
  encodeExportResponseJson,
  encodeRpcStatus,
  encodeRpcStatusJson,
  type SliceFormat,
} from '@reenact/otlp';
import { describeError, ReenactError, toReenactError } from '@reenact/trace-model';
import { API_PREFIX } from '@reenact/trace-model/collector-api';
import type { Authorizer } from '../../access/authorizer.ts';
import { credentialsOf } from '../../access/credentials-of.ts';
import { isWaiting } from '../../connections/ask-for-body.ts';
import type { RequestTimes } from '../../connections/stall-watch.ts';
import { HTTP_METHOD_NOT_ALLOWED, HTTP_OK, type HttpStatus, statusOf } from '../../http-status.ts';
import { RETRY_AFTER_MS } from '../../limits.ts';
import { freeMemory } from '../../memory/free-memory.ts';
import { ReusedMemory } from '../../memory/reused-memory.ts';
import { PASSED_HEADER, readPassed } from '../../passed-collectors.ts';
import { HEALTH_PREFIX } from '../../query/router.ts';
import type { Refusals } from '../../refusals.ts';
import { METRICS_PATH } from '../../telemetry/metrics-endpoint.ts';
import type { Admission, Room } from '../admission.ts';
import type { Ingest } from '../ingest.ts';
import { CONTENT_TYPES, SIGNAL_PATHS } from './config.ts';
import { decompress, readContentEncoding, refuseTransferCodings } from './decompress.ts';
import { drainRefused } from './drain-refused.ts';
import { readBody } from './read-body.ts';

/** What the receiver needs. */
export interface OtlpHttpReceiverOptions {
  readonly ingest: Ingest;
  readonly admission: Admission;
  readonly refusals: Refusals;
  readonly authorizer: Authorizer;
  readonly requestBytesMax: number;
  readonly requestTimes: RequestTimes;
  /** Which part of the usual memory for bodies is kept to be used again; 1 where nothing is said. */
  readonly memoryShare?: number;
}

/** Answers a request if its path is one of OTLP/HTTP; false leaves it to others. */
export type OtlpHttpReceiver = (path: string, request: IncomingMessage, response: ServerResponse) => boolean;

/** Receives OTLP/HTTP: protobuf and JSON, answered in the encoding they came in. */
export function createOtlpHttpReceiver(options: OtlpHttpReceiverOptions): OtlpHttpReceiver {
  const memory = new ReusedMemory(options.memoryShare);
  return (path, request, response) => {
    const signal = SIGNAL_PATHS.get(path);
    if (signal === undefined) {
      if (request.method !== 'POST' || isOfOthers(path)) return false;
      const error = unknownPath(path);
      refuse(options, request, response, readFormat(request), error, statusOf(error));
      return true;
    }
    void handleExport(options, memory, signal, request, response);
    return true;
  };
}

async function handleExport(
  options: OtlpHttpReceiverOptions,
  memory: ReusedMemory,
  signal: ExportSignal,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const format = readFormat(request);
  let room: Room | undefined;
  try {
    if (request.method !== 'POST') {
      const error = new ReenactError('bad-request', `${request.method} is not allowed here, only POST is.`, {
        next: 'Send OTLP by POST, as an exporter does. What was recorded is shown at / and by `reenact runs`.',
      });
      refuse(options, request, response, format, error, HTTP_METHOD_NOT_ALLOWED);
      return;
    }
    const { tenant } = options.authorizer.authorize(credentialsOf(request.headers), 'ingest');
    if (format === undefined) throw unknownContentType(request);
    room = options.admission.enter(tenant);
    refuseTransferCodings(request.headers['transfer-encoding']);
    const encoding = readContentEncoding(request.headers['content-encoding']);
    const wire = await readBody(response, options, room, memory);
    const body = await decompress(encoding, wire, options.requestBytesMax, room);
    const outcome = await options.ingest({ tenant, signal, format, body, passed: passedBy(request) });
    // Only here is it certain that nobody reads it any more: what was refused may still be on its way through zlib.
    if (body !== wire) freeMemory(body);
    memory.give(wire.buffer);
    const isJson = format === 'json';
    send(response, HTTP_OK, format, isJson ? encodeExportResponseJson(signal, outcome) : encodeExportResponse(outcome));
  } catch (thrown) {
    const error = toReenactError(thrown);
    refuse(options, request, response, format, error, statusOf(error));
  } finally {
    room?.release();
  }
}

/** ASCII is UTF-8, too. */
const UTF8_CHARSETS = ['utf-8', 'utf8', 'us-ascii', ''];

/** Whether another part of the collector says what may be done at a path. */
function isOfOthers(path: string): boolean {
  return path === METRICS_PATH || [API_PREFIX, HEALTH_PREFIX].some((prefix) => path.startsWith(`${prefix}/`));
}

function unknownPath(path: string): ReenactError {
  return new ReenactError('not-found', `Nothing is received at ${path}.`, {
    where: path,
    next: `Send to ${[...SIGNAL_PATHS.keys()].join(', ')}: OTEL_EXPORTER_OTLP_ENDPOINT takes an address without a path, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT one with it.`,
  });
}

function readFormat(request: IncomingMessage): SliceFormat | undefined {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type === CONTENT_TYPES.protobuf) return 'protobuf';
  return type === CONTENT_TYPES.json && isUtf8(request) ? 'json' : undefined;
}

/** JSON that another charset was said of would be read as something that nobody sent, or be told as broken. */
function isUtf8(request: IncomingMessage): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(request.headers['content-type'] ?? '')?.[1];
  return charset === undefined || UTF8_CHARSETS.includes(charset.toLowerCase());
}

function passedBy({ headers }: IncomingMessage): readonly string[] {
  const header = headers[PASSED_HEADER];
  return readPassed(Array.isArray(header) ? header.join(',') : header);
}

function unknownContentType(request: IncomingMessage): ReenactError {
  const type = request.headers['content-type'];
  const message =
    type === undefined ? 'The request names no content type.' : `The content type "${type}" is not known.`;
  return new ReenactError('unsupported', message, {
    where: 'content-type',
    next: `Send ${CONTENT_TYPES.protobuf} or ${CONTENT_TYPES.json}, JSON in UTF-8.`,
  });
}

function refuse(
  options: OtlpHttpReceiverOptions,
  request: IncomingMessage,
  response: ServerResponse,
  format: SliceFormat | undefined,
  error: ReenactError,
  { status, rpcCode, headers }: HttpStatus,
): void {
  options.refusals.refused(error, 'http', request.socket.remoteAddress);
  const isRetryable = 'retry-after' in headers;
  const rpcStatus = {
    code: rpcCode,
    message: describeError(error),
    ...(isRetryable ? { retryDelayMs: RETRY_AFTER_MS } : {}),
  };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  const body = format === 'protobuf' ? encodeRpcStatus(rpcStatus) : encodeRpcStatusJson(rpcStatus);
  if (!request.complete && !response.headersSent) response.setHeader('connection', 'close');
  // Whoever waits to be asked for its body sends none.
  const isOver = request.complete || response.destroyed || isWaiting(request);
  send(response, status, format ?? 'json', body, isOver);
  if (!isOver) drainRefused(request, () => response.end());
}

/** Sends an answer; one that is not to be ended yet is all there for its reader, and keeps the connection. */
function send(
  response: ServerResponse,
  status: number,
  format: SliceFormat,
  body: string | Uint8Array,
  isEnd = true,
): void {
  if (response.destroyed || response.headersSent) return;
  response.statusCode = status;
  response.setHeader('content-type', CONTENT_TYPES[format]);
  response.setHeader('content-length', Buffer.byteLength(body));
  if (isEnd) response.end(body);
  else response.write(body);
}
