import type { ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2';
import { type Context, context as contexts } from '@opentelemetry/api';
import {
  type Admission,
  admit,
  askToJoinOver,
  confirmed,
  isTelemetryHost,
  telemetryContext,
  withOwnedWire,
} from '@reenact/instrumentation';
import type { Exchange } from '@reenact/trace-model';
import { bodyOfBytes } from '../message-body.ts';
import { isHeldExport } from '../outbound/held-export.ts';
import { type OutboundFacts, outboundCall } from '../outbound/outbound-call.ts';
import type { OutboundSettings } from '../outbound/outbound-settings.ts';
import { relayStream } from './live-stream.ts';
import { propagatedStreamHeaders } from './propagated-stream-headers.ts';
import { RecordedStream } from './recorded-stream.ts';
import type { ReplaySession } from './replay-session.ts';
import { serveStream, serveTakenStream } from './served-stream.ts';
import { type Connect, type SessionOrigin, streamFacts } from './session-origin.ts';

/** What a request of a session inside a replay is made of. */
export interface ReplayedStreamParts {
  /** What the host was given, led to `session`. */
  readonly stream: ClientHttp2Stream;
  readonly session: ReplaySession;
  readonly origin: SessionOrigin;
  readonly headers: OutgoingHttpHeaders;
  /** The request as its exchange keeps it. */
  readonly exchangeRequest: () => Exchange['request'];
  readonly outbound: OutboundSettings;
  /** For what is made for real. */
  readonly connect: Connect;
}

/** One request inside a replay. It is looked up when the host has ended it; until then nothing answers. */
export class ReplayedStream {
  private readonly parts: ReplayedStreamParts;
  private readonly context: Context = contexts.active();

  constructor(parts: ReplayedStreamParts) {
    this.parts = parts;
  }

  /** Decides how the request is answered, all of it being known. */
  decide(body: Buffer): void {
    contexts.with(this.context, () => {
      const { origin, headers, connect } = this.parts;
      const facts = streamFacts(origin, headers);
      if (isTelemetryHost(facts.url)) {
        contexts.with(telemetryContext(contexts.active()), () => this.tellTelemetry(facts, body));
        return;
      }
      const admission = this.admission(facts, body);
      if (admission.type === 'run' || admission.type === 'stub') this.recordUnder(admission.crossing);
      const session = (): ReturnType<Connect> => connect(origin.authority, origin.options);
      const confirming = confirmed(admission, facts.url, (token) => askToJoinOver(session, facts.url, token));
      const follow = (answered: Admission): void => this.follow(answered, facts.url, body);
      if (confirming instanceof Promise) void confirming.then(follow);
      else follow(confirming);
    });
  }

  private tellTelemetry(facts: OutboundFacts, body: Buffer): void {
    const { stream, session, headers } = this.parts;
    if (isHeldExport('http2.connect', facts, true)) void serveTakenStream(facts.contentType, stream, session);
    else this.live(headers, body);
  }

  private admission(facts: OutboundFacts, body: Buffer): Admission {
    const { outbound } = this.parts;
    if (outbound.ignores(facts)) return { type: 'pass' };
    return admit({ ...outboundCall(facts, { body: bodyOfBytes(body) }, outbound.capture), asksToJoin: true });
  }

  private recordUnder(crossing: Extract<Admission, { crossing: unknown }>['crossing']): void {
    const { stream, exchangeRequest } = this.parts;
    new RecordedStream(stream, crossing, exchangeRequest());
  }

  private follow(admission: Admission, url: URL, body: Buffer): void {
    const { stream, session, headers } = this.parts;
    switch (admission.type) {
      case 'refuse':
        stream.destroy(admission.error);
        break;
      case 'pass':
        this.live(headers, body);
        break;
      case 'run': {
        const { context } = admission.crossing;
        const sent = propagatedStreamHeaders(url, headers, context);
        contexts.with(withOwnedWire(context), () => this.live(sent, body));
        break;
      }
      case 'stub':
        void serveStream(admission, stream, session);
    }
  }

  private live(headers: OutgoingHttpHeaders, body: Buffer): void {
    const { stream, session, origin, connect } = this.parts;
    const fail = (error: Error): void => void stream.destroy(error);
    relayStream({ origin, connect, headers, body }, stream, session).catch(fail);
  }
}
