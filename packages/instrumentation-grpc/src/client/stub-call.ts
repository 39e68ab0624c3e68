import { guarded } from '@reenact/instrumentation';
import type { MessageContext } from '../wire-call.ts';
import { LocalCall } from './local-call.ts';
import type { CallRecorder } from './recorded-call.ts';
import type { ServedCall } from './served-call.ts';

/** A call that is answered from the recording, as the caller sees it. It has been started. */
export class StubCall extends LocalCall {
  private readonly served: ServedCall;
  private readonly recorder: CallRecorder;

  /** `peer`: whom the recorded call was made with. */
  constructor(served: ServedCall, recorder: CallRecorder, peer: string) {
    super(peer);
    this.served = served;
    this.recorder = recorder;
  }

  start(): void {
    // Nothing: it plays already.
  }

  sendMessageWithContext({ callback }: MessageContext, message: Buffer): void {
    guarded('recording a message', () => this.recorder.sent(message), undefined);
    this.served.send(message);
    if (callback !== undefined) process.nextTick(callback);
  }

  halfClose(): void {
    guarded('recording the end of a request', () => this.recorder.halfClosed(), undefined);
    this.served.halfClose();
  }

  cancelWithStatus(code: number, details: string): void {
    this.recorder.cancelled();
    this.served.cancel(code, details);
  }

  startRead(): void {
    this.served.read();
  }
}
