import type { CaptureLevel } from '@reenact/trace-model';
import type { OutboundRequest } from '../types.ts';

/** What every patched way of sending a request needs to know. */
export interface OutboundSettings {
  readonly capture: CaptureLevel;
  /** False once the patch was undone and the function lives on in somebody else's hands. */
  isActive(): boolean;
  /** Whether the user wants nothing to do with this request. Never throws. */
  ignores(request: OutboundRequest): boolean;
}
