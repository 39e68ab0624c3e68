import type { Metadata } from '@grpc/grpc-js';
import { type Context, context as contexts } from '@opentelemetry/api';
import { type Admission, admit, guarded, runInContext } from '@reenact/instrumentation';
import { metadataOf } from '../metadata-pairs.ts';
import { comparedMetadata, MessageTape, outboundCall } from '../rpc-call.ts';
import type { RpcSettings } from '../rpc-settings.ts';
import { REFUSED_STATUS_CODE } from '../status-name.ts';
import type { MessageContext, MetadataClass, WireCall, WireListener } from '../wire-call.ts';
import { LiveCall } from './live-call.ts';
import { type CallFacts, CallRecorder } from './recorded-call.ts';
import { ServedCall } from './served-call.ts';

/** What a call inside a replay is made of. */
export interface ReplayedCallParts {
  readonly facts: CallFacts;
  readonly settings: RpcSettings;
  readonly Metadata: MetadataClass;
  /** Makes the call for real. */
  readonly makeReal: () => WireCall;
}

/**
 * One call inside a replay. It is looked up when the caller has ended what it sends, or in the next turn where it sends on:
 * then each message is compared when it is sent. Until then nothing answers, and no channel connects.
 */
export class ReplayedCall implements WireCall {
  private readonly parts: ReplayedCallParts;
  private readonly context: Context = contexts.active();
  private readonly messages = new MessageTape();
  /** What was done to the call before it was known who answers. */
  private readonly waiting: ((call: WireCall) => void)[] = [];
  private started: { readonly metadata: Metadata; readonly listener: WireListener } | undefined;
  private credentials: unknown;
  private peer: string | undefined;
  private wasDecided = false;
  private live: WireCall | undefined;
  private served: ServedCall | undefined;
  private recorder: CallRecorder | undefined;

  constructor(parts: ReplayedCallParts) {
    this.parts = parts;
  }

  start(metadata: Metadata, listener: WireListener): void {
    const around = (call: () => void): void => runInContext(this.context, call);
    this.started = {
      metadata: metadata.clone(),
      listener: {
        onReceiveMetadata: (given) => around(() => listener.onReceiveMetadata(given)),
        onReceiveMessage: (message) => around(() => listener.onReceiveMessage(message)),
        onReceiveStatus: (status) => around(() => listener.onReceiveStatus(status)),
      },
    };
    process.nextTick(() => {
      if (!this.wasDecided) this.decide(true);
    });
  }

  sendMessageWithContext(context: MessageContext, message: Buffer): void {
    this.messages.keep(message, 0);
    // The caller of a stream sends on only when it is told that this was taken: once, and before it is known who answers.
    const given = this.wasDecided ? context : { ...context, callback: () => undefined };
    this.apply((call) => call.sendMessageWithContext(given, message));
    if (this.live !== undefined) return;
    guarded('recording a message', () => this.recorder?.sent(message), undefined);
    this.served?.send(message);
    const { callback } = context;
    if (callback !== undefined) process.nextTick(callback);
  }

  halfClose(): void {
    this.apply((call) => call.halfClose());
    if (!this.wasDecided) this.decide(false);
    if (this.live !== undefined) return;
    guarded('recording the end of a request', () => this.recorder?.halfClosed(), undefined);
    this.served?.halfClose();
  }

  cancelWithStatus(code: number, details: string): void {
    if (!this.wasDecided) this.decide(true);
    if (this.live !== undefined) this.live.cancelWithStatus(code, details);
    else if (this.served !== undefined) {
      this.recorder?.cancelled();
      this.served.cancel(code, details);
    }
  }

  startRead(): void {
    this.apply((call) => call.startRead());
    this.served?.read();
  }

  private apply(act: (call: WireCall) => void): void {
    if (this.live !== undefined) act(this.live);
    else if (!this.wasDecided) this.waiting.push(act);
  }

  private decide(isStream: boolean): void {
    this.wasDecided = true;
    contexts.with(this.context, () => this.follow(this.admission(isStream), isStream));
  }

  private admission(isStream: boolean): Admission {
    const { facts, settings } = this.parts;
    const messages = isStream ? {} : { messages: this.messages.messages };
    const input = {
      method: facts.path,
      target: facts.target,
      ...messages,
      ...comparedMetadata(this.started?.metadata),
    };
    return admit(outboundCall(input, settings.capture));
  }

  private follow(admission: Admission, isStream: boolean): void {
    const { facts, Metadata, makeReal } = this.parts;
    const { started } = this;
    switch (admission.type) {
      case 'pass':
        this.goLive(makeReal());
        break;
      case 'run': {
        const { crossing } = admission;
        const real = runInContext(crossing.context, makeReal);
        this.goLive(new LiveCall(real, facts.target, crossing, new CallRecorder(facts, crossing)));
        break;
      }
      case 'refuse':
        this.refused(admission.error.message);
        break;
      case 'stub': {
        if (started === undefined) return;
        this.recorder = new CallRecorder(facts, admission.crossing);
        this.recorder.started(started.metadata, () => this.getPeer());
        const listener = this.recorder.listener(started.listener, (call) => call());
        this.peer = admission.recorded.exchanges[0]?.response?.url;
        this.served = new ServedCall(admission, listener, Metadata);
        const replaying = this.served.play(isStream);
        this.replayWaiting();
        void replaying;
      }
    }
  }

  /** A stub is told of what was read and sent before it was there. */
  private replayWaiting(): void {
    const { recorder, served } = this;
    const early: WireCall = {
      ...nothing,
      sendMessageWithContext: (_context, message) => {
        recorder?.sent(message);
        served?.send(message);
      },
      startRead: () => served?.read(),
    };
    for (const act of this.waiting.splice(0)) act(early);
  }

  private refused(details: string): void {
    const metadata = metadataOf(this.parts.Metadata, []);
    process.nextTick(() => this.started?.listener.onReceiveStatus({ code: REFUSED_STATUS_CODE, details, metadata }));
  }

  private goLive(call: WireCall): void {
    this.live = call;
    if (this.credentials !== undefined) call.setCredentials(this.credentials);
    if (this.started !== undefined) call.start(this.started.metadata, this.started.listener);
    for (const act of this.waiting.splice(0)) act(call);
  }

  getPeer(): string {
    return this.live?.getPeer() ?? this.peer ?? this.parts.facts.target;
  }

  getCallNumber(): number {
    return this.live?.getCallNumber() ?? 0;
  }

  setCredentials(credentials: unknown): void {
    this.credentials = credentials;
    this.live?.setCredentials(credentials);
  }

  getAuthContext(): unknown {
    return this.live?.getAuthContext() ?? null;
  }
}

const nothing: WireCall = {
  start: () => undefined,
  sendMessageWithContext: () => undefined,
  startRead: () => undefined,
  halfClose: () => undefined,
  cancelWithStatus: () => undefined,
  getPeer: () => '',
  getCallNumber: () => 0,
  setCredentials: () => undefined,
  getAuthContext: () => null,
};
