import type { ClientRequest } from 'node:http';
import { context as contexts } from '@opentelemetry/api';
import {
  guarded,
  heldAnswerDue,
  heldTelemetry,
  isExporter,
  isOtlpExport,
  isTelemetryHost,
  type Release,
  telemetryHosts,
} from '@reenact/instrumentation';
import { type ExchangeResponse, urlPlace } from '@reenact/trace-model';
import { headersOf } from '../headers-of.ts';
import { connectToReplay, type Make, type RequestModule } from './replay-connection.ts';
import { type ParsedParameters, parseRequestParameters } from './request-parameters.ts';

/** What is asked of a request before it is made. */
interface AskedRequest {
  readonly method: string;
  readonly url: URL;
  readonly contentType: string | undefined;
}

/** Whether an empty answer to a request says that all was taken. What a client of telemetry asks its own host is answered so, too: most ask again and again where that fails. */
function isExport({ method, url, contentType }: AskedRequest, isNamed: boolean): boolean {
  if (isNamed) return true;
  return method === 'POST' && (isOtlpExport(url.pathname, contentType) || isExporter(contexts.active()));
}

/**
 * Whether a request exports something, over OTLP, by a known exporter or to a host that the user `isNamed` as one of telemetry, and is held
 * back by the replay around it: it is to be answered as one that was taken. Never throws.
 */
export function isHeldExport(name: string, asked: AskedRequest, isNamed: boolean): boolean {
  if (!isExport(asked, isNamed)) return false;
  const { host, port = 80 } = urlPlace(asked.url);
  return heldTelemetry.holds?.({ name, host, port }) === true;
}

/** Type and body of an answer that says that all was taken: an empty message where one was sent, else an empty object. */
export function takenAnswer(contentType: string | undefined): { readonly type: string; readonly body: string } {
  return contentType === 'application/x-protobuf'
    ? { type: contentType, body: '' }
    : { type: 'application/json', body: '{}' };
}

/** The same as a response to be served. */
export function takenResponse(contentType: string | undefined): ExchangeResponse {
  const { type, body } = takenAnswer(contentType);
  return {
    status: 200,
    statusText: 'OK',
    url: '',
    headers: [
      ['content-type', type],
      ['content-length', String(body.length)],
    ],
    headersAfterUs: 0,
    chunks: body === '' ? [] : [[0, body]],
    hasBody: true,
    endAfterUs: 0,
    end: 'complete',
  };
}

/** Of what is held back, was not recorded, and waits for nothing that was. */
export const heldRelease: Release = { at: heldAnswerDue, settle: () => Promise.resolve(undefined) };

function askedRequest({ target, options }: ParsedParameters, scheme: string): AskedRequest | undefined {
  if (options.socketPath !== undefined && options.socketPath !== null) return undefined;
  const url = new URL(target === undefined ? `${scheme}//localhost` : String(target));
  const host = options.hostname ?? options.host;
  if (host !== undefined && host !== null) url.hostname = host.includes(':') ? `[${host}]` : host;
  if (options.port !== undefined && options.port !== null) url.port = String(options.port);
  const path = options.path ?? `${url.pathname}${url.search}`;
  const contentType = headersOf(options.headers)?.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  return { method: options.method ?? 'GET', url: new URL(path, url), contentType };
}

/** Whether a request goes to a host that the user named as one of telemetry. Never throws. */
export function isNamedTelemetry(parsed: ParsedParameters, { scheme }: RequestModule): boolean {
  if (telemetryHosts.length === 0) return false;
  const asked = guarded('reading a request', () => askedRequest(parsed, scheme), undefined);
  return asked !== undefined && isTelemetryHost(asked.url);
}

/** A request of `http.request` that exports something and is held back, answered as taken; undefined where it is none. */
export function heldExport(
  make: Make,
  parameters: readonly unknown[],
  module: RequestModule,
  isNamed = false,
): ClientRequest | undefined {
  if (heldTelemetry.holds === undefined) return undefined;
  const parsed = parseRequestParameters(parameters);
  const asked = guarded('reading an export', () => askedRequest(parsed, module.scheme), undefined);
  if (asked === undefined || !isHeldExport(`${module.scheme.slice(0, -1)}.request`, asked, isNamed)) return undefined;
  const { request, socket } = connectToReplay(make, parsed, module);
  request.once('socket', () => socket.tellConnected());
  const { type, body } = takenAnswer(asked.contentType);
  const head = `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`;
  request.once('finish', async () => {
    await heldAnswerDue();
    socket.deliver(Buffer.from(`${head}${body}`, 'latin1'));
  });
  return request;
}
