import type { MessageContext, WireCall, WireListener } from '../wire-call.ts';

/** A call that is made with nobody: what a client asks of a call beside its messages, answered as if it had been made with `peer`. */
export abstract class LocalCall implements WireCall {
  private readonly peer: string;

  constructor(peer: string) {
    this.peer = peer;
  }

  abstract start(metadata: unknown, listener: WireListener): void;
  abstract sendMessageWithContext(context: MessageContext, message: Buffer): void;
  abstract startRead(): void;
  abstract halfClose(): void;
  abstract cancelWithStatus(code: number, details: string): void;

  getPeer(): string {
    return this.peer;
  }

  getCallNumber(): number {
    return 0;
  }

  setCredentials(): void {
    // Nobody is told who calls.
  }

  getAuthContext(): unknown {
    return null;
  }
}
