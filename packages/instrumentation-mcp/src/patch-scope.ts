import type { Admission, GateCall } from '@reenact/instrumentation';
import type { CallSettings } from './gate-call.ts';

/** What a patched member needs to know. */
export interface PatchScope extends CallSettings {
  admit(call: GateCall): Admission;
  /** False once the patch was undone and the function lives on in somebody else's hands. */
  isActive(): boolean;
}
