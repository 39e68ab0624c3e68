import type { Metadata } from '@grpc/grpc-js';
import { context as contexts } from '@opentelemetry/api';
import { guarded, type OpenCrossing, propagatedHeaders, runInContext, withOwnedWire } from '@reenact/instrumentation';
import { targetUrl } from '../rpc-call.ts';
import type { MessageContext, WireCall, WireListener } from '../wire-call.ts';
import type { CallRecorder } from './recorded-call.ts';

/** Puts into metadata what a call says of the run it belongs to, and takes out a position that must not travel. */
function propagate(metadata: Metadata, target: string, { context }: OpenCrossing): void {
  const url = targetUrl(target);
  if (url === undefined) return;
  const given = (name: string): string | undefined => metadata.get(name).map(String).join(',') || undefined;
  for (const [name, value] of propagatedHeaders(url, given, context)) {
    metadata.remove(name);
    if (value !== undefined) metadata.set(name, value);
  }
}

/** A call that is made for real, and recorded. What the caller does with it goes to the real call, unchanged and at once. */
export class LiveCall implements WireCall {
  private readonly real: WireCall;
  private readonly target: string;
  private readonly crossing: OpenCrossing;
  private readonly recorder: CallRecorder;

  constructor(real: WireCall, target: string, crossing: OpenCrossing, recorder: CallRecorder) {
    this.real = real;
    this.target = target;
    this.crossing = crossing;
    this.recorder = recorder;
  }

  private inside<Result>(call: () => Result): Result {
    return runInContext(withOwnedWire(this.crossing.context), call);
  }

  start(metadata: Metadata, listener: WireListener): void {
    // Else what the caller does next would count as a part of this call, or lose its place in the run.
    const caller = contexts.active();
    const around = (call: () => void): void => runInContext(caller, call);
    const sent = guarded('telling a context', () => this.propagated(metadata), metadata);
    guarded('recording a call', () => this.recorder.started(metadata, () => this.real.getPeer()), undefined);
    this.inside(() => this.real.start(sent, this.recorder.listener(listener, around)));
  }

  private propagated(metadata: Metadata): Metadata {
    const sent = metadata.clone();
    propagate(sent, this.target, this.crossing);
    return sent;
  }

  sendMessageWithContext(context: MessageContext, message: Buffer): void {
    guarded('recording a message', () => this.recorder.sent(message), undefined);
    this.inside(() => this.real.sendMessageWithContext(context, message));
  }

  halfClose(): void {
    guarded('recording the end of a request', () => this.recorder.halfClosed(), undefined);
    this.inside(() => this.real.halfClose());
  }

  cancelWithStatus(code: number, details: string): void {
    guarded('recording a cancellation', () => this.recorder.cancelled(), undefined);
    this.real.cancelWithStatus(code, details);
  }

  startRead(): void {
    this.inside(() => this.real.startRead());
  }

  getPeer(): string {
    return this.real.getPeer();
  }

  getCallNumber(): number {
    return this.real.getCallNumber();
  }

  setCredentials(credentials: unknown): void {
    this.real.setCredentials(credentials);
  }

  getAuthContext(): unknown {
    return this.real.getAuthContext();
  }
}
