import type { ClientRequest } from 'node:http';
import { type Context, context as contexts } from '@opentelemetry/api';
import {
  type Admission,
  admit,
  BodyTape,
  connectingCode,
  guarded,
  type OpenCrossing,
  propagatedHeaders,
  telemetryContext,
  wireMode,
} from '@reenact/instrumentation';
import type { Exchange } from '@reenact/trace-model';
import { REQUEST_BODY_BYTES_MAX } from '../limits.ts';
import { bodyOfTape } from '../message-body.ts';
import { tapOutgoingBody } from '../outgoing-body-tap.ts';
import type { MessagePlace } from '../websocket/message-call.ts';
import { recordConversation } from '../websocket/recorded-conversation.ts';
import { heldExport, isNamedTelemetry } from './held-export.ts';
import { otherTelemetry } from './other-telemetry.ts';
import { completeRequest, outboundCall } from './outbound-call.ts';
import type { OutboundSettings } from './outbound-settings.ts';
import { makePatched } from './passed-by-requests.ts';
import { RecordedRequest } from './recorded-request.ts';
import { connectToReplay, type Make, type RequestModule } from './replay-connection.ts';
import { ReplayedRequest } from './replayed-request.ts';
import {
  exchangeRequest,
  givenHeader,
  type ParsedParameters,
  parseRequestParameters,
  requestFacts,
  withOptions,
} from './request-parameters.ts';

/** `http.request` or `https.request`. */
export type MakeRequest = (...parameters: never[]) => ClientRequest;

function record(request: ClientRequest, parsed: ParsedParameters, settings: OutboundSettings): void {
  const facts = requestFacts(request, parsed);
  if (settings.ignores(facts)) return;
  const admission: Admission = admit(outboundCall(facts, { body: undefined }, settings.capture));
  if (admission.type !== 'run') return;
  guarded('telling a context', () => propagate(request, facts.url, admission.crossing.context), undefined);
  watch(request, parsed, admission.crossing, { url: facts.url, capture: settings.capture });
}

/** Headers given as a list have been written already, and are left as they are. */
function propagate(request: ClientRequest, url: URL, context: Context): void {
  if (request.headersSent) return;
  for (const [name, value] of propagatedHeaders(url, (key) => givenHeader(request, key), context)) {
    if (value === undefined) request.removeHeader(name);
    else request.setHeader(name, value);
  }
}

function watch(request: ClientRequest, parsed: ParsedParameters, crossing: OpenCrossing, place: MessagePlace): void {
  const tape = new BodyTape(REQUEST_BODY_BYTES_MAX);
  crossing.awaitsInput();
  tapOutgoingBody(request, {
    chunk: (bytes) => tape.keep(bytes, 0),
    // Headers may be set until now: the content type is one of them.
    ended: () => completeRequest(crossing, requestFacts(request, parsed), { body: bodyOfTape(tape) }),
  });
  const around = contexts.active();
  const describe = (): Exchange['request'] => exchangeRequest(request, parsed);
  new RecordedRequest(request, crossing, describe, (upgraded) => recordConversation(upgraded, place, crossing, around));
}

/** Whether `http.request` takes this agent; it throws its own error for any other. */
function isAgentTaken({ options }: ParsedParameters): boolean {
  const agent: unknown = options.agent;
  if (agent === undefined || agent === null || agent === false) return true;
  return typeof agent === 'object' && typeof Reflect.get(agent, 'addRequest') === 'function';
}

function replay(
  make: Make,
  parsed: ParsedParameters,
  module: RequestModule,
  settings: OutboundSettings,
): ClientRequest {
  const { request, socket } = connectToReplay(make, parsed, module);
  const makeReal = (headers: readonly [string, string][]): ClientRequest => {
    const { signal: _signal, ...options } = parsed.options;
    const real = make(withOptions({ ...parsed, options, callback: undefined }, {}));
    for (const name of real.getHeaderNames()) real.removeHeader(name);
    for (const [name, value] of headers) real.appendHeader(name, value);
    return real;
  };
  new ReplayedRequest({ request, socket, parsed, settings, makeReal }).attach();
  return request;
}

/**
 * Whether a request asked its agent for a connection, and that asks a proxy for one (`CONNECT`): as much a part of that request as connecting
 * is. In a replay it is sent where the request is.
 */
function isOfConnecting({ options }: ParsedParameters, request: MakeRequest): boolean {
  if (options.method !== 'CONNECT') return false;
  return guarded('telling who connects', () => connectingCode(request).type === 'instrumented', false);
}

/** Has who listens to a request of telemetry, and to its answer, go on in the context `around` it: as the agent, and not as who sends telemetry. */
function listenedToIn(around: Context, parameters: readonly unknown[], send: Make): ClientRequest {
  const callback = parameters.at(-1);
  const isCalledBack = typeof callback === 'function';
  const request = send(isCalledBack ? [...parameters.slice(0, -1), contexts.bind(around, callback)] : parameters);
  request.prependOnceListener('response', (response) => void contexts.bind(around, response));
  return contexts.bind(around, request);
}

/** `request` of `node:http` or `node:https` as the gate sees it: each request is a crossing, answered as the gate says. */
export function gatedRequest(original: MakeRequest, module: RequestModule, settings: OutboundSettings): MakeRequest {
  const request = function request(this: unknown, ...parameters: unknown[]): ClientRequest {
    const make: Make = (given) => makePatched(() => Reflect.apply(original, this, given));
    const mode = settings.isActive() ? wireMode() : 'pass';
    if (mode === 'pass') return heldExport(make, parameters, module) ?? make(parameters);
    const parsed = parseRequestParameters(parameters);
    if (isOfConnecting(parsed, request)) return make(parameters);
    // Suppressed, so that its connection is told from those of the run, too.
    const vendor = guarded(
      'telling telemetry',
      () => otherTelemetry(parsed.options.method, parsed.options.headers),
      undefined,
    );
    if (vendor !== undefined || isNamedTelemetry(parsed, module)) {
      const held = (given: readonly unknown[]): ClientRequest | undefined =>
        vendor?.readsAnswers === true ? undefined : heldExport(make, given, module, true);
      const send = (given: readonly unknown[]): ClientRequest => held(given) ?? make(given);
      const active = contexts.active();
      const asTelemetry = (given: readonly unknown[]): ClientRequest =>
        contexts.with(telemetryContext(active), () => send(given));
      return vendor === undefined ? listenedToIn(active, parameters, asTelemetry) : asTelemetry(parameters);
    }
    if (mode === 'replay' && isAgentTaken(parsed)) return replay(make, parsed, module, settings);
    const made = make(parameters);
    guarded('recording a request', () => record(made, parsed, settings), undefined);
    return made;
  };
  return request;
}

/** `get` of `node:http` or `node:https`: a request that is ended at once. */
export function gatedGet(original: MakeRequest, request: MakeRequest, settings: OutboundSettings): MakeRequest {
  return function get(this: unknown, ...parameters: unknown[]): ClientRequest {
    if (!settings.isActive() || wireMode() === 'pass')
      return makePatched(() => Reflect.apply(original, this, parameters));
    const made: ClientRequest = Reflect.apply(request, this, parameters);
    made.end();
    return made;
  };
}
