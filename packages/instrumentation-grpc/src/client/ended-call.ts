import type { Metadata } from '@grpc/grpc-js';
import type { MessageContext, WireListener } from '../wire-call.ts';
import { LocalCall } from './local-call.ts';

/** How a call ends of which nothing was sent. */
export interface LocalEnd {
  readonly code: number;
  readonly details: string;
  readonly metadata: Metadata;
}

/** A call that has ended before anybody answered: refused, or called off. The status comes a turn later, as a real one does. */
export class EndedCall extends LocalCall {
  constructor(target: string, listener: WireListener | undefined, end: LocalEnd) {
    super(target);
    process.nextTick(() => listener?.onReceiveStatus(end));
  }

  start(): void {
    // Nothing: it is over.
  }

  sendMessageWithContext({ callback }: MessageContext): void {
    if (callback !== undefined) process.nextTick(callback);
  }

  startRead(): void {
    // Nothing: it is over.
  }

  halfClose(): void {
    // Nothing: it is over.
  }

  cancelWithStatus(): void {
    // Nothing: it is over.
  }
}
