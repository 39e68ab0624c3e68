import {
  broughtCookies,
  definedAttributes,
  type GateCall,
  recordedHeaders,
  redactedUrl,
} from '@reenact/instrumentation';
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
import { ATTR_REENACT_COOKIES_BROUGHT } from '@reenact/semconv/reenact';
import { CANONICAL_POLICIES, type CaptureLevel, type UrlPlace, urlPlace } from '@reenact/trace-model';
import { headerPairs } from '../header-pairs.ts';
import type { MessageBody } from '../message-body.ts';
import { type HttpRequestInput, requestInput } from '../request-input.ts';
import type { InboundHead } from './inbound-event.ts';

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
function targetOf({ url }: InboundHead): string {
  if (url.startsWith('/')) return url;
  const whole = URL.canParse(url) ? new URL(url) : undefined;
  return whole === undefined ? url : `${whole.pathname}${whole.search}`;
}

function keptHeaders({ rawHeaders }: InboundHead): [string, string][] {
  const pairs = headerPairs(rawHeaders).filter(
    ([name]) => !droppedHeaders.has(name.toLowerCase()) && !name.startsWith(':'),
  );
  return recordedHeaders(pairs);
}

function cookieHeaders({ rawHeaders }: InboundHead): string[] {
  return headerPairs(rawHeaders).flatMap(([name, value]) => (name.toLowerCase() === 'cookie' ? [value] : []));
}

/** The input of an inbound request's run: all that is needed to send it again, credentials excepted. */
export function inboundInput(head: InboundHead, body: MessageBody | undefined): HttpRequestInput {
  return requestInput(
    {
      method: head.method,
      url: redactedUrl(targetOf(head)),
      contentType: head.headers['content-type'],
      headers: keptHeaders(head),
    },
    { body },
  );
}

function askedPlace({ authority, scheme }: InboundHead): UrlPlace | undefined {
  const url = authority === undefined ? null : URL.parse(`${scheme}://${authority}`);
  return url === null ? undefined : urlPlace(url);
}

/** Describes one inbound request to the gate: a run, entered by the request. */
export function inboundCall(head: InboundHead, body: MessageBody | undefined, capture: CaptureLevel): GateCall {
  const { method } = head;
  const [path = '/'] = targetOf(head).split('?');
  const name = `${method} ${path}`;
  const place = askedPlace(head);
  return {
    boundary: { kind: 'agent', name, effect: 'write', capture, policy: CANONICAL_POLICIES.httpEntry },
    input: inboundInput(head, body),
    call: 'promise',
    span: {
      name,
      kind: 'server',
      slim: definedAttributes({
        [ATTR_HTTP_REQUEST_METHOD]: method,
        [ATTR_URL_PATH]: path,
        [ATTR_URL_SCHEME]: head.scheme,
        [ATTR_SERVER_ADDRESS]: place?.host,
        [ATTR_SERVER_PORT]: place?.port,
        [ATTR_NETWORK_LOCAL_PORT]: head.localPort,
        [ATTR_NETWORK_PROTOCOL_VERSION]: head.httpVersion,
        [ATTR_USER_AGENT_ORIGINAL]: head.headers['user-agent'],
      }),
      content: { [ATTR_REENACT_COOKIES_BROUGHT]: broughtCookies(cookieHeaders(head)) },
    },
  };
}
