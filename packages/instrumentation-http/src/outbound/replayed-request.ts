import type { ClientRequest } from 'node:http';
import { type Context, context as contexts } from '@opentelemetry/api';
import {
  type Admission,
  admit,
  askToJoin,
  BodyTape,
  confirmed,
  guarded,
  propagatedHeaders,
  type StubAdmission,
  withOwnedWire,
} from '@reenact/instrumentation';
import { patchInstance } from '../instance-patch.ts';
import { madeAtExit } from '../made-at-exit.ts';
import { bodyOfBytes } from '../message-body.ts';
import { tapOutgoingBody } from '../outgoing-body-tap.ts';
import { liveWebSocket } from '../websocket/live-web-socket.ts';
import { ServedConversation } from '../websocket/served-conversation.ts';
import { isWebSocket, type UpgradedConnection } from '../websocket/upgraded-socket.ts';
import { relayRequest } from './live-request.ts';
import { outboundCall, tellBegunRequest } from './outbound-call.ts';
import type { OutboundSettings } from './outbound-settings.ts';
import { RecordedRequest } from './recorded-request.ts';
import type { ReplaySocket } from './replay-socket.ts';
import {
  asksForWebSocket,
  asksToContinue,
  exchangeRequest,
  givenHeader,
  type ParsedParameters,
  requestFacts,
  requestHeaders,
} from './request-parameters.ts';
import { serveRequest } from './serve-request.ts';

/** What a request inside a replay is made of. */
export interface ReplayedRequestParts {
  readonly request: ClientRequest;
  readonly socket: ReplaySocket;
  readonly parsed: ParsedParameters;
  readonly settings: OutboundSettings;
  /** Makes the request for real, without the host's listeners and signal. */
  readonly makeReal: (headers: readonly [string, string][]) => ClientRequest;
}

/**
 * One request inside a replay: Node's own `ClientRequest` on a socket of ours. It is looked up when the host has ended it,
 * because only then all of it is known; until then nothing answers.
 */
export class ReplayedRequest {
  private readonly parts: ReplayedRequestParts;
  private readonly context: Context = contexts.active();
  private readonly body = new BodyTape(Number.POSITIVE_INFINITY);
  private wasAdmitted = false;
  private decided: (() => void) | undefined;
  private conversation: ServedConversation | undefined;

  constructor(parts: ReplayedRequestParts) {
    this.parts = parts;
  }

  /** Starts to watch the request the host was given. */
  attach(): void {
    const { request, parsed } = this.parts;
    tellBegunRequest(() => requestFacts(request, parsed));
    tapOutgoingBody(request, {
      chunk: (bytes) => this.body.keep(bytes, 0),
      ended: () => this.decide(true),
    });
    const calledOff = (): void => guarded('calling off a request', () => this.decide(false), undefined);
    this.decided = madeAtExit(calledOff);
    patchInstance(request, 'destroy', (destroy) => {
      return function destroyWatched(this: ClientRequest, error?: Error): ClientRequest {
        calledOff();
        return destroy.call(this, error);
      };
    });
    request.once('socket', () => {
      this.parts.socket.tellConnected();
      this.continueWhereAsked();
    });
  }

  /** Whoever asked for a go-ahead before the body gets it, or it would wait for ever. */
  private continueWhereAsked(): void {
    const { request, socket } = this.parts;
    if (asksToContinue(request)) socket.deliver(Buffer.from('HTTP/1.1 100 Continue\r\n\r\n', 'latin1'));
  }

  private decide(isWhole: boolean): void {
    if (this.wasAdmitted) return;
    this.wasAdmitted = true;
    this.decided?.();
    contexts.with(this.context, () => {
      const admission = this.admission(isWhole);
      if (admission.type === 'run' || admission.type === 'stub') this.recordUnder(admission.crossing);
      if (!isWhole) return;
      const { request, parsed } = this.parts;
      const { url } = requestFacts(request, parsed);
      const confirming = confirmed(admission, url, (token) => askToJoin(url, token));
      if (confirming instanceof Promise) void confirming.then((answered) => this.follow(answered));
      else this.follow(confirming);
    });
  }

  private follow(admission: Admission): void {
    const { request, socket } = this.parts;
    switch (admission.type) {
      case 'refuse':
        socket.destroy(admission.error);
        break;
      case 'stub':
        this.conversation = this.conversationWith(admission);
        void serveRequest(admission, request, socket, this.conversation);
        break;
      case 'run':
        contexts.with(withOwnedWire(admission.crossing.context), () => this.relay());
        break;
      case 'pass':
        this.relay();
        break;
    }
  }

  private admission(isWhole: boolean): Admission {
    const { request, parsed, settings } = this.parts;
    const facts = requestFacts(request, parsed);
    if (settings.ignores(facts)) return { type: 'pass' };
    const body = isWhole ? bodyOfBytes(this.body.whole) : undefined;
    return admit({ ...outboundCall(facts, { body }, settings.capture), asksToJoin: true });
  }

  private recordUnder(crossing: Extract<Admission, { crossing: unknown }>['crossing']): void {
    const { request, parsed } = this.parts;
    guarded(
      'recording a request',
      () =>
        new RecordedRequest(
          request,
          crossing,
          () => exchangeRequest(request, parsed),
          (upgraded) => this.converses(upgraded),
        ),
      undefined,
    );
  }

  private conversationWith(admission: StubAdmission): ServedConversation {
    const { request, parsed, settings, socket } = this.parts;
    const { url } = requestFacts(request, parsed);
    return new ServedConversation(admission, { url, capture: settings.capture }, socket, this.context);
  }

  private converses(upgraded: UpgradedConnection): boolean {
    if (this.conversation === undefined || !isWebSocket(upgraded.response)) return false;
    this.conversation.attach(upgraded);
    return true;
  }

  private relay(): void {
    const { request, parsed, socket, makeReal } = this.parts;
    // Called off while it was asked who answers.
    if (socket.destroyed) return;
    const { url } = requestFacts(request, parsed);
    if (asksForWebSocket(request)) {
      socket.destroy(liveWebSocket(url));
      return;
    }
    try {
      const real = makeReal(requestHeaders(request));
      for (const [name, value] of propagatedHeaders(url, (key) => givenHeader(request, key), contexts.active())) {
        if (value === undefined) real.removeHeader(name);
        else real.setHeader(name, value);
      }
      relayRequest(real, this.body.whole, socket);
    } catch (error) {
      socket.destroy(error as Error);
    }
  }
}
