import type { ClientHttp2Session, ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2';
import {
  type Admission,
  admit,
  BodyTape,
  exchangeError,
  guarded,
  isTelemetryHost,
  type OpenCrossing,
  recordedHeaders,
  runInContext,
  unixNanoNow,
  wireMode,
  withOwnedWire,
} from '@reenact/instrumentation';
import type { Exchange } from '@reenact/trace-model';
import { REQUEST_BODY_BYTES_MAX } from '../limits.ts';
import { bodyOfTape } from '../message-body.ts';
import { completeRequest, type OutboundFacts, outboundCall, tellBegunRequest } from '../outbound/outbound-call.ts';
import type { OutboundSettings } from '../outbound/outbound-settings.ts';
import { settleExchange } from '../outbound/settle-exchange.ts';
import { tapOutgoingBody } from '../outgoing-body-tap.ts';
import { recordedUrl } from '../recorded-url.ts';
import { propagatedStreamHeaders } from './propagated-stream-headers.ts';
import { RecordedStream } from './recorded-stream.ts';
import { ReplaySession } from './replay-session.ts';
import { ReplayedStream } from './replayed-stream.ts';
import { type Connect, plainPairs, type SessionOrigin, streamFacts } from './session-origin.ts';
import { timedStream } from './timed-stream.ts';

/** `request` of a session. */
export type RequestStream = (
  this: ClientHttp2Session,
  headers?: OutgoingHttpHeaders,
  options?: object,
) => ClientHttp2Stream;

/** What a gated session needs to know. */
export interface SessionSettings {
  readonly outbound: OutboundSettings;
  /** For requests that a replay makes for real. */
  readonly connect: Connect;
}

/** Sessions by where they lead; those of a replay with what answers them. */
export const origins = new WeakMap<object, SessionOrigin>();
export const replaySessions = new WeakMap<object, ReplaySession>();

function exchangeRequest(origin: SessionOrigin, headers: OutgoingHttpHeaders): Exchange['request'] {
  const { method, url } = streamFacts(origin, headers);
  return { method, url: recordedUrl(url), headers: recordedHeaders(plainPairs(headers)) };
}

/** Tells of the whole body once it is known; at once where there is none. */
function whenEnded(stream: ClientHttp2Stream, bytesMax: number, known: (tape: BodyTape) => void): void {
  const tape = new BodyTape(bytesMax);
  if (stream.writableEnded) known(tape);
  else tapOutgoingBody(stream, { chunk: (bytes) => tape.keep(bytes, 0), ended: () => known(tape) });
}

/** What `make` gives; where the session refuses the request at once, told of its error before that is thrown on. */
function madeOrThrown(make: () => ClientHttp2Stream, threw: (error: unknown) => void): ClientHttp2Stream {
  try {
    return make();
  } catch (error) {
    guarded('recording an HTTP/2 request', () => threw(error), undefined);
    throw error;
  }
}

/** A request that never left: its exchange has an error and no response. */
function settleRefused(crossing: OpenCrossing, request: Exchange['request'], error: unknown): void {
  const startedAtUnixNano = unixNanoNow().toString();
  const exchange = { layer: 'http', attempt: 0, startedAtUnixNano, request, error: exchangeError(error) } as const;
  settleExchange(crossing, exchange, { error, wasAborted: false });
}

/** Takes the recorded request that was refused in the same way: the session of a replay refuses by itself. */
function consumeRefused(facts: OutboundFacts, settings: OutboundSettings, error: unknown): void {
  if (settings.ignores(facts) || isTelemetryHost(facts.url)) return;
  const admission = admit(outboundCall(facts, { body: undefined }, settings.capture));
  if (admission.type === 'stub') void admission.release.settle();
  if (admission.type === 'stub' || admission.type === 'run') admission.crossing.settle({ type: 'threw', error });
}

function record(
  make: (headers: OutgoingHttpHeaders) => ClientHttp2Stream,
  origin: SessionOrigin,
  headers: OutgoingHttpHeaders,
  settings: OutboundSettings,
): ClientHttp2Stream {
  const facts = guarded('reading an HTTP/2 request', () => streamFacts(origin, headers), undefined);
  if (facts === undefined || settings.ignores(facts) || isTelemetryHost(facts.url)) return make(headers);
  const admission = guarded<Admission>(
    'admitting an HTTP/2 request',
    () => admit(outboundCall(facts, { body: undefined }, settings.capture)),
    { type: 'pass' },
  );
  if (admission.type !== 'run') return make(headers);
  const { crossing } = admission;
  const sent = guarded(
    'telling a context',
    () => propagatedStreamHeaders(facts.url, headers, crossing.context),
    headers,
  );
  const stream = madeOrThrown(
    () => runInContext(withOwnedWire(crossing.context), () => make(sent)),
    (error) => settleRefused(crossing, exchangeRequest(origin, headers), error),
  );
  guarded(
    'recording an HTTP/2 request',
    () => {
      crossing.awaitsInput();
      new RecordedStream(stream, crossing, exchangeRequest(origin, headers));
      whenEnded(stream, REQUEST_BODY_BYTES_MAX, (tape) => completeRequest(crossing, facts, { body: bodyOfTape(tape) }));
    },
    undefined,
  );
  return stream;
}

/** Not the raw list of headers, and not what opens a tunnel. */
function isPlainRequest(headers: OutgoingHttpHeaders | undefined): boolean {
  if (headers === undefined) return true;
  return typeof headers === 'object' && !Array.isArray(headers) && headers[':method'] !== 'CONNECT';
}

/** `request` of every session as the gate sees it: each request is a crossing, answered as the gate says. */
export function gatedRequestStream(original: RequestStream, settings: SessionSettings): RequestStream {
  return function request(headers, ...rest) {
    const make = (session: ClientHttp2Session, sent: OutgoingHttpHeaders | undefined): ClientHttp2Stream =>
      Reflect.apply(original, session, [sent, ...rest]);
    const origin = origins.get(this);
    const known = replaySessions.get(this);
    const mode = settings.outbound.isActive() ? wireMode() : 'pass';
    // Where ours fails, nothing of a replay may be sent.
    const isRequest = guarded('reading an HTTP/2 request', () => isPlainRequest(headers), mode === 'replay');
    if (origin === undefined || !isRequest) return make(this, headers);
    if (known === undefined && mode === 'pass') return make(this, headers);
    const given = headers ?? {};
    if (mode === 'record' && known === undefined)
      return record((sent) => make(this, sent), origin, given, settings.outbound);
    // A session that was made before the replay: its requests must not reach its connection.
    const session = known ?? new ReplaySession(origin);
    if (known === undefined) replaySessions.set(this, session);
    const stream = madeOrThrown(
      () => make(session.session, headers),
      (error) => consumeRefused(streamFacts(origin, given), settings.outbound, error),
    );
    timedStream(stream);
    const { outbound, connect } = settings;
    const asked = (): Exchange['request'] => exchangeRequest(origin, given);
    const parts = { stream, session, origin, headers: given, exchangeRequest: asked, outbound, connect };
    const replayed = new ReplayedStream(parts);
    if (!stream.writableEnded) tellBegunRequest(() => streamFacts(origin, given));
    whenEnded(stream, Number.POSITIVE_INFINITY, ({ whole }) => replayed.decide(whole));
    return stream;
  };
}
