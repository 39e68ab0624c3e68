import { type Context, context as contexts } from '@opentelemetry/api';
import { definedAttributes, type GateCall, guarded, type OpenCrossing, tellBegun } from '@reenact/instrumentation';
import { ATTR_HTTP_REQUEST_METHOD, ATTR_SERVER_ADDRESS, ATTR_SERVER_PORT, ATTR_URL_FULL } from '@reenact/semconv/core';
import { CANONICAL_POLICIES, type CaptureLevel, comparedHeaders, type Effect, urlPlace } from '@reenact/trace-model';
import type { SentBody } from '../message-body.ts';
import { modelRequestView } from '../models/model-view.ts';
import { recordedUrl } from '../recorded-url.ts';
import { requestInput } from '../request-input.ts';

/** What is known of an outbound request before its body. */
export interface OutboundFacts {
  readonly method: string;
  readonly url: URL;
  readonly contentType: string | undefined;
  /** As the caller gave them, names in any case. */
  readonly headers: Iterable<readonly [string, string]>;
  /** Whether the platform's `fetch` has added its own to them. */
  readonly isOfPlatform?: boolean;
}

/** What the platform's `fetch` adds where its caller says nothing, and what is compared of that. */
const addedByFetch: ReadonlyMap<string, string> = new Map([
  ['accept', '*/*'],
  ['accept-language', '*'],
]);

/** The headers as the caller of a `fetch` gave them. */
function givenHeaders({ headers, isOfPlatform }: OutboundFacts): Iterable<readonly [string, string]> {
  if (isOfPlatform !== true) return headers;
  return [...headers].filter(([name, value]) => addedByFetch.get(name.toLowerCase()) !== value);
}

const readingMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

function effectOf(method: string): Effect {
  return readingMethods.has(method) ? 'read' : 'write';
}

/** The input of an outbound request's crossing. */
function outboundInput(facts: OutboundFacts, sent: SentBody): ReturnType<typeof requestInput> {
  const { method, url, contentType } = facts;
  const headers = comparedHeaders(givenHeaders(facts));
  const told = Object.keys(headers).length === 0 ? {} : { headers };
  return requestInput({ method, url: recordedUrl(url), contentType, ...told }, sent);
}

/** Tells a crossing what was sent, where that is known only after the request began. */
export function completeRequest(crossing: OpenCrossing, facts: OutboundFacts, sent: SentBody): void {
  crossing.completeInput(outboundInput(facts, sent));
  crossing.describe({ slim: definedAttributes(modelRequestView(facts, sent.body)) });
}

/** The port is in the name where it is not the scheme's own. */
function nameOf({ method, url }: OutboundFacts): string {
  return `${method} ${url.host}`;
}

/** Tells a replay that a request has begun which is looked up once its body is known. Gives the context to read that in. Never throws. */
export function tellBegunRequest(facts: () => OutboundFacts): Context {
  const told = (): Context => tellBegun({ kind: 'http', name: nameOf(facts()) });
  return guarded('telling of a request', told, contexts.active());
}

/** Describes one outbound request to the gate. */
export function outboundCall(facts: OutboundFacts, sent: SentBody, capture: CaptureLevel): GateCall {
  const { method, url } = facts;
  const name = nameOf(facts);
  const { host, port = 0 } = urlPlace(url);
  return {
    boundary: { kind: 'http', name, effect: effectOf(method), capture, policy: CANONICAL_POLICIES.httpRequest },
    input: outboundInput(facts, sent),
    call: 'exchange',
    span: {
      name,
      kind: 'client',
      slim: {
        [ATTR_HTTP_REQUEST_METHOD]: method,
        [ATTR_URL_FULL]: recordedUrl(url),
        [ATTR_SERVER_ADDRESS]: host,
        [ATTR_SERVER_PORT]: port,
        ...definedAttributes(modelRequestView(facts, sent.body)),
      },
    },
  };
}
