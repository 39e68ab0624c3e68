import type { IncomingMessage } from 'node:http';
import { definedAttributes, type GateCall, recordedHeaders, redactedUrl } from '@reenact/instrumentation';
import {
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_NETWORK_LOCAL_PORT,
  ATTR_NETWORK_PROTOCOL_VERSION,
  ATTR_SERVER_ADDRESS,
  ATTR_SERVER_PORT,
  ATTR_URL_PATH,
  ATTR_URL_SCHEME,
  ATTR_USER_AGENT_ORIGINAL,
} from '@reenact/semconv/core';
import { CANONICAL_POLICIES, type CaptureLevel } from '@reenact/trace-model';
import { headerPairs } from '../header-pairs.ts';
import type { MessageBody } from '../message-body.ts';
import { type HttpRequestInput, requestInput } from '../request-input.ts';

/** Headers that belong to one connection or one trace: a replay has its own. */
const droppedHeaders: ReadonlySet<string> = new Set([
  'baggage',
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'te',
  'traceparent',
  'tracestate',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Path and query of a request, whatever form its target has. */
function targetOf({ url = '/' }: IncomingMessage): string {
  if (url.startsWith('/')) return url;
  const whole = URL.canParse(url) ? new URL(url) : undefined;
  return whole === undefined ? url : `${whole.pathname}${whole.search}`;
}

function keptHeaders(request: IncomingMessage): [string, string][] {
  const pairs = headerPairs(request.rawHeaders).filter(([name]) => !droppedHeaders.has(name.toLowerCase()));
  return recordedHeaders(pairs);
}

/** The input of an inbound request's run: all that is needed to send it again, credentials excepted. */
export function inboundInput(request: IncomingMessage, body: MessageBody | undefined): HttpRequestInput {
  return requestInput(
    {
      method: request.method ?? 'GET',
      url: redactedUrl(targetOf(request)),
      contentType: request.headers['content-type'],
      headers: keptHeaders(request),
    },
    body,
  );
}

function hostOf(
  { headers }: IncomingMessage,
  scheme: string,
): { address: string | undefined; port: number | undefined } {
  const text = `${scheme}://${headers.host ?? ''}`;
  if (headers.host === undefined || !URL.canParse(text)) return { address: undefined, port: undefined };
  const { hostname, port } = new URL(text);
  return { address: hostname, port: port === '' ? { http: 80, https: 443 }[scheme] : Number(port) };
}

/** Describes one inbound request to the gate: a run, entered by the request. */
export function inboundCall(
  request: IncomingMessage,
  body: MessageBody | undefined,
  scheme: 'http' | 'https',
  capture: CaptureLevel,
): GateCall {
  const method = request.method ?? 'GET';
  const [path = '/'] = targetOf(request).split('?');
  const name = `${method} ${path}`;
  const { address, port } = hostOf(request, scheme);
  return {
    boundary: { kind: 'agent', name, effect: 'write', capture, policy: CANONICAL_POLICIES.httpEntry },
    input: inboundInput(request, body),
    call: 'promise',
    span: {
      name,
      kind: 'server',
      slim: definedAttributes({
        [ATTR_HTTP_REQUEST_METHOD]: method,
        [ATTR_URL_PATH]: path,
        [ATTR_URL_SCHEME]: scheme,
        [ATTR_SERVER_ADDRESS]: address,
        [ATTR_SERVER_PORT]: port,
        [ATTR_NETWORK_LOCAL_PORT]: request.socket.localPort,
        [ATTR_NETWORK_PROTOCOL_VERSION]: request.httpVersion,
        [ATTR_USER_AGENT_ORIGINAL]: request.headers['user-agent'],
      }),
    },
  };
}
