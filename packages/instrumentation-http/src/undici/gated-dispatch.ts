import { type Context, context as contexts } from '@opentelemetry/api';
import {
  type Admission,
  admit,
  askToJoin,
  confirmed,
  failUnheard,
  guarded,
  isTelemetryHost,
  noteRecordedWebSocket,
  type OpenCrossing,
  propagatedHeaders,
  runInContext,
  type StubAdmission,
  telemetryContext,
  wireMode,
  withOwnedWire,
} from '@reenact/instrumentation';
import type { Dispatcher } from 'undici';
import { type ReadStream, readStream } from '../fetch/fetch-body.ts';
import { sentAgain, sentBodyOf } from '../fetch/replayed-fetch.ts';
import { takeHandedDown } from '../fetch/within-fetch.ts';
import { madeAtExit } from '../made-at-exit.ts';
import { bytesOfBody, type MessageBody, type SentBody } from '../message-body.ts';
import { outboundCall, tellBegunRequest } from '../outbound/outbound-call.ts';
import type { OutboundSettings } from '../outbound/outbound-settings.ts';
import { ReplaySocket } from '../outbound/replay-socket.ts';
import { untoldHeaders } from '../outbound/untold-headers.ts';
import { liveWebSocket } from '../websocket/live-web-socket.ts';
import type { MessagePlace } from '../websocket/message-call.ts';
import { recordConversation } from '../websocket/recorded-conversation.ts';
import { ServedConversation } from '../websocket/served-conversation.ts';
import { isWebSocket, type TakesOver } from '../websocket/upgraded-socket.ts';
import { type DispatchRequest, readDispatch } from './dispatch-request.ts';
import { heldDispatch } from './held-dispatch.ts';
import { isOlderHandler, newerHandlerOf, olderHandlerOf } from './older-handler.ts';
import { RecordedDispatch } from './recorded-dispatch.ts';
import { type ServedUpgrade, serveDispatch } from './served-dispatch.ts';
import type { Dispatch, UndiciParts } from './undici-types.ts';
import { watchBody } from './watched-body.ts';

/** A request's body once all of it is known. `read`: of a body that could be read only once. */
interface KnownBody extends SentBody {
  readonly read?: ReadStream;
}

/** One request of a dispatcher while the gate asks about it. */
class GatedDispatch {
  private readonly request: DispatchRequest;
  private readonly settings: OutboundSettings;
  private readonly parts: UndiciParts;
  private readonly options: Dispatcher.DispatchOptions;
  private readonly handler: Dispatcher.DispatchHandler;
  private readonly call: (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => boolean;
  /** Of the code that sends. */
  private readonly around = contexts.active();

  constructor(
    read: { readonly request: DispatchRequest; readonly settings: OutboundSettings; readonly parts: UndiciParts },
    given: { readonly options: Dispatcher.DispatchOptions; readonly handler: Dispatcher.DispatchHandler },
    call: (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => boolean,
  ) {
    this.request = read.request;
    this.settings = read.settings;
    this.parts = read.parts;
    this.options = given.options;
    this.handler = given.handler;
    this.call = call;
  }

  private admission(sent: SentBody): Admission {
    return admit({ ...outboundCall(this.request, sent, this.settings.capture), asksToJoin: true });
  }

  /** Sends at once; what is not known of the body yet is added while it is sent. */
  record(): boolean {
    const body = this.request.body.type === 'known' ? this.request.body.body : undefined;
    const admission = guarded<Admission>('admitting a request', () => this.admission({ body }), { type: 'pass' });
    if (admission.type !== 'run') return this.call(this.options, this.handler);
    return this.send(admission.crossing, (recorded) => this.watched(admission.crossing, recorded));
  }

  /** The options to send with, the body watched where it is not known yet. Never throws. */
  private watched(crossing: OpenCrossing, recorded: RecordedDispatch): Dispatcher.DispatchOptions {
    const { options, request } = this;
    const complete = (reading: Promise<MessageBody>): void => {
      reading.then((body) => recorded.complete({ body })).catch(() => crossing.markLossy('/input/body unreadable'));
    };
    return guarded(
      'watching a body',
      () => {
        if (request.body.type !== 'known') crossing.awaitsInput();
        if (request.body.type === 'readable') complete(request.body.read());
        if (request.body.type !== 'streamed') return options;
        const body = watchBody(options.body, request.body.stream, (sent) => recorded.complete(sent));
        return { ...options, body: body as NonNullable<Dispatcher.DispatchOptions['body']> };
      },
      options,
    );
  }

  private send(
    crossing: OpenCrossing,
    optionsFor: (recorded: RecordedDispatch) => Dispatcher.DispatchOptions,
  ): boolean {
    const takesOver: TakesOver = (upgraded) => {
      const isTaken = recordConversation(upgraded, this.place, crossing, this.around);
      if (isTaken) noteRecordedWebSocket(upgraded.socket);
      return isTaken;
    };
    const recorded = guarded(
      'recording a request',
      () => new RecordedDispatch(this.request, crossing, takesOver),
      undefined,
    );
    const handler = guarded('recording a request', () => recorded?.handler(this.handler), undefined) ?? this.handler;
    const sent = this.positioned(recorded === undefined ? this.options : optionsFor(recorded), crossing);
    return runInContext(withOwnedWire(crossing.context), () => this.call(sent, handler));
  }

  private get place(): MessagePlace {
    return { url: this.request.url, capture: this.settings.capture };
  }

  /** Decides once the whole request is known; nothing is sent before. */
  replay(): boolean {
    const { around: active } = this;
    const { body } = this.request;
    if (body.type === 'known') {
      this.decide({ body: body.body });
      return true;
    }
    const inside = tellBegunRequest(() => this.request);
    const read = madeAtExit(() => void contexts.with(active, () => this.admission({ body: undefined })));
    runInContext(inside, () => this.knownBody()).then(
      (known) => {
        read();
        contexts.with(active, () => this.decide(known));
      },
      (error: Error) => {
        read();
        this.handler.onResponseError?.(null as never, error);
      },
    );
    return true;
  }

  private async knownBody(): Promise<KnownBody> {
    const { body } = this.request;
    switch (body.type) {
      case 'known':
        return { body: body.body };
      case 'readable':
        return { body: await body.read() };
      case 'streamed': {
        const read = await readStream(body.stream, undefined);
        return { ...sentBodyOf(read), read };
      }
      case 'request':
        return { body: undefined };
    }
  }

  private decide(known: KnownBody): void {
    const { url } = this.request;
    const asked = this.admission(known);
    failUnheard(asked, known.read?.failure);
    const confirming = confirmed(asked, url, (token) => askToJoin(url, token));
    if (confirming instanceof Promise) void confirming.then((admission) => this.follow(admission, known));
    else this.follow(confirming, known);
  }

  /** Does as the gate said. */
  follow(admission: Admission, known: KnownBody): void {
    const { body, read } = known;
    const options =
      read === undefined ? this.options : ({ ...this.options, body: sentAgain(read) } as Dispatcher.DispatchOptions);
    switch (admission.type) {
      case 'pass':
        this.call(options, this.handler);
        break;
      case 'refuse':
        this.refuse(admission.error);
        break;
      case 'run':
        if (this.request.isUpgrade) {
          this.refuse(liveWebSocket(this.request.url), admission.crossing);
          break;
        }
        this.send(admission.crossing, (recorded) => {
          recorded.complete(known);
          return options;
        });
        break;
      case 'stub': {
        const upgrade = this.request.isUpgrade ? this.servedUpgrade(admission) : undefined;
        const recorded = new RecordedDispatch(this.request, admission.crossing, (upgraded) => {
          if (isWebSocket(upgraded.response)) upgrade?.conversation.attach(upgraded);
          return upgrade !== undefined;
        });
        recorded.complete(known);
        const sentBytes = read?.bytes ?? (body === undefined ? undefined : bytesOfBody(body));
        void serveDispatch(admission, recorded.handler(this.handler), this.parts, { sentBytes, upgrade });
        break;
      }
    }
  }

  private refuse(error: Error, crossing?: OpenCrossing): void {
    crossing?.settle({ type: 'threw', error });
    process.nextTick(() => this.handler.onResponseError?.(null as never, error));
  }

  private servedUpgrade(admission: StubAdmission): ServedUpgrade {
    const isEncrypted = this.request.url.protocol === 'https:';
    const socket = new ReplaySocket({ encrypted: isEncrypted, port: isEncrypted ? 443 : 80 });
    const conversation = new ServedConversation(admission, this.place, socket, this.around);
    const header = (asked: string): string | undefined =>
      this.request.headers.find(([name]) => name.toLowerCase() === asked)?.[1];
    const asked = { key: header('sec-websocket-key') ?? '', protocols: header('sec-websocket-protocol') };
    return { asked, socket, conversation };
  }

  /** Never throws: what cannot be told is left out. */
  private positioned(options: Dispatcher.DispatchOptions, { context }: OpenCrossing): Dispatcher.DispatchOptions {
    return guarded('telling a context', () => this.withHeaders(options, context), options);
  }

  private withHeaders(options: Dispatcher.DispatchOptions, context: Context): Dispatcher.DispatchOptions {
    const { url, headers } = this.request;
    const given = (name: string): string | undefined => {
      const values = headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);
      return values.length === 0 ? undefined : values.join(',');
    };
    const added = untoldHeaders(propagatedHeaders(url, given, context));
    if (added.length === 0) return options;
    const replaced = new Set(added.map(([name]) => name));
    const sent = headers.filter(([name]) => !replaced.has(name.toLowerCase())).flat();
    return {
      ...options,
      headers: [...sent, ...added.flatMap(([name, value]) => (value === undefined ? [] : [name, value]))],
    };
  }
}

/** Whether undici takes these, in one of its versions. */
function isCall(options: unknown, handler: unknown): boolean {
  const areObjects = [options, handler].every((given) => typeof given === 'object' && given !== null);
  if (!areObjects) return false;
  return typeof Reflect.get(handler as object, 'onResponseStart') === 'function' || isOlderHandler(handler as object);
}

/** `dispatch` as the gate sees it: each request is a crossing, answered as the gate says. */
export function gatedDispatch(original: Dispatch, parts: UndiciParts, settings: OutboundSettings): Dispatch {
  return function dispatch(options, handler): boolean {
    const call: Dispatch = (given, told) => Reflect.apply(original, this, [given, told]);
    const mode = settings.isActive() ? wireMode() : 'pass';
    if (mode === 'pass' || !isCall(options, handler)) return call.call(this, options, handler);
    const read = guarded('reading a request', () => readDispatch(this, options), undefined);
    const request = read && { ...read, isOfPlatform: parts.isPlatform === true && !read.isUpgrade };
    if (request === undefined || settings.ignores(request)) return call.call(this, options, handler);
    if (isTelemetryHost(request.url)) {
      const send = (): boolean => heldDispatch(request, handler, parts) || call.call(this, options, handler);
      return contexts.with(telemetryContext(contexts.active()), send);
    }
    const isOlder = isOlderHandler(handler);
    // An undici before version 8 is given a handler of the kind that the host gave: 6 knows no other.
    const passOn = (given: Dispatcher.DispatchOptions, told: Dispatcher.DispatchHandler): boolean =>
      call.call(this, given, isOlder ? (olderHandlerOf(told, parts) as Dispatcher.DispatchHandler) : told);
    const known = isOlder ? newerHandlerOf(handler) : handler;
    const asked = new GatedDispatch({ request, settings, parts }, { options, handler: known }, passOn);
    const handed = takeHandedDown();
    if (handed !== undefined) {
      asked.follow(handed.admission, handed.sent);
      return true;
    }
    return mode === 'record' ? asked.record() : asked.replay();
  };
}
