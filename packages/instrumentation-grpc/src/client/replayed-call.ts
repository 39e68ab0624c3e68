import type { Metadata } from '@grpc/grpc-js';
import { type Context, context as contexts } from '@opentelemetry/api';
import {
  type Admission,
  admit,
  confirmed,
  type OpenCrossing,
  runInContext,
  type StubAdmission,
  withOwnedWire,
} from '@reenact/instrumentation';
import { metadataOf } from '../metadata-pairs.ts';
import { messagesOfMethod } from '../names/learned-methods.ts';
import { comparedMetadata, MessageTape, outboundCall, targetUrl } from '../rpc-call.ts';
import type { RpcSettings } from '../rpc-settings.ts';
import { REFUSED_STATUS_CODE } from '../status-name.ts';
import type { MessageContext, MetadataClass, WireCall, WireListener } from '../wire-call.ts';
import { EndedCall } from './ended-call.ts';
import { JoinQuestion } from './join-question.ts';
import { LiveCall } from './live-call.ts';
import { type CallFacts, CallRecorder } from './recorded-call.ts';
import { ServedCall } from './served-call.ts';
import { StubCall } from './stub-call.ts';

/** What a call inside a replay is made of. */
export interface ReplayedCallParts {
  readonly facts: CallFacts;
  readonly settings: RpcSettings;
  readonly Metadata: MetadataClass;
  /** Makes the call for real. */
  readonly makeReal: () => WireCall;
  /** Makes the question whether the server takes part, on the same channel and with the same deadline. */
  readonly makeQuestion: () => WireCall;
}

/**
 * One call inside a replay. It is looked up when the caller has ended what it sends, or in the next turn where it sends on:
 * then each message is compared when it is sent. Until it is known who answers nothing is sent, and no channel connects but to
 * ask the server of a hop whether it takes part.
 */
export class ReplayedCall implements WireCall {
  private readonly parts: ReplayedCallParts;
  private readonly context: Context = contexts.active();
  private readonly messages: MessageTape;
  /** What was done to the call before it was known who answers. */
  private readonly waiting: ((call: WireCall) => void)[] = [];
  private started: { readonly metadata: Metadata; readonly listener: WireListener } | undefined;
  private credentials: unknown;
  private wasDecided = false;
  private question: JoinQuestion | undefined;
  /** The crossing of a call whose server is being asked. */
  private asking: OpenCrossing | undefined;
  /** Who answers, once that is known. */
  private answering: WireCall | undefined;

  constructor(parts: ReplayedCallParts) {
    this.parts = parts;
    this.messages = new MessageTape(messagesOfMethod(parts.facts.path).request);
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
    if (!this.wasDecided) this.messages.keep(message, 0);
    this.apply((call) => call.sendMessageWithContext(context, message));
  }

  halfClose(): void {
    this.apply((call) => call.halfClose());
    if (!this.wasDecided) this.decide(false);
  }

  cancelWithStatus(code: number, details: string): void {
    if (!this.wasDecided) this.decide(true);
    if (this.asking === undefined) this.answering?.cancelWithStatus(code, details);
    else this.callOff(this.asking, code, details);
  }

  startRead(): void {
    this.apply((call) => call.startRead());
  }

  private apply(act: (call: WireCall) => void): void {
    if (this.answering === undefined) this.waiting.push(act);
    else act(this.answering);
  }

  private decide(isStream: boolean): void {
    this.wasDecided = true;
    contexts.with(this.context, () => {
      const admission = this.admission(isStream);
      const confirming = confirmed(admission, targetUrl(this.parts.facts.target), (token) => this.ask(token));
      if (!(confirming instanceof Promise)) return this.follow(confirming, isStream);
      this.asking = admission.type === 'run' ? admission.crossing : undefined;
      void confirming.then((answered) => {
        this.asking = undefined;
        if (this.answering === undefined) this.follow(answered, isStream);
      });
    });
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
    return admit({ ...outboundCall(input, settings.capture), asksToJoin: true });
  }

  private ask(token: string): Promise<string | undefined> {
    return contexts.with(withOwnedWire(contexts.active()), () => {
      this.question = new JoinQuestion(this.parts.makeQuestion());
      return this.question.ask(token, this.parts.Metadata);
    });
  }

  /** The caller goes away while the server is asked: nothing was sent, and nothing will be. */
  private callOff(crossing: OpenCrossing, code: number, details: string): void {
    this.asking = undefined;
    crossing.settle({ type: 'aborted', chunks: [] });
    this.end(code, details);
    this.question?.callOff();
  }

  private follow(admission: Admission, isStream: boolean): void {
    const { facts, makeReal } = this.parts;
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
        this.end(REFUSED_STATUS_CODE, admission.error.message);
        break;
      case 'stub':
        this.serve(admission, isStream);
    }
  }

  private serve(admission: StubAdmission, isStream: boolean): void {
    const { started } = this;
    const { facts, Metadata } = this.parts;
    if (started === undefined) return;
    const recorder = new CallRecorder(facts, admission.crossing);
    const peer = admission.recorded.exchanges[0]?.response?.url ?? facts.target;
    recorder.started(started.metadata, () => peer);
    const served = new ServedCall({
      admission,
      listener: recorder.listener(started.listener, (call) => call()),
      Metadata,
      names: messagesOfMethod(facts.path).request,
    });
    void served.play(isStream);
    this.answerWith(new StubCall(served, recorder, peer));
  }

  private end(code: number, details: string): void {
    const metadata = metadataOf(this.parts.Metadata, []);
    this.answerWith(new EndedCall(this.parts.facts.target, this.started?.listener, { code, details, metadata }));
  }

  private goLive(call: WireCall): void {
    if (this.credentials !== undefined) call.setCredentials(this.credentials);
    if (this.started !== undefined) call.start(this.started.metadata, this.started.listener);
    this.answerWith(call);
  }

  private answerWith(call: WireCall): void {
    this.answering = call;
    for (const act of this.waiting.splice(0)) act(call);
  }

  getPeer(): string {
    return this.answering?.getPeer() ?? this.parts.facts.target;
  }

  getCallNumber(): number {
    return this.answering?.getCallNumber() ?? 0;
  }

  setCredentials(credentials: unknown): void {
    this.credentials = credentials;
    this.answering?.setCredentials(credentials);
  }

  getAuthContext(): unknown {
    return this.answering?.getAuthContext() ?? null;
  }
}
