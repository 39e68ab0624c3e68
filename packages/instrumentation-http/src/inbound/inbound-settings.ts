import type { IncomingMessage } from 'node:http';
import type { CaptureLevel } from '@reenact/trace-model';
import type { ListeningAddress } from '../types.ts';

/** What every patched server needs to know. */
export interface InboundSettings {
  readonly capture: CaptureLevel;
  /** False once the patch was undone and the function lives on in somebody else's hands. */
  isActive(): boolean;
  /** Whether the user wants nothing to do with this request. Never throws. */
  ignores(request: IncomingMessage): boolean;
  /** Tells where a server listens. Never throws. */
  listening(address: ListeningAddress): void;
}
