import { guarded } from '@reenact/instrumentation';
import type { CaptureLevel } from '@reenact/trace-model';
import type { HttpInstrumentationConfig, InboundRequest } from '../types.ts';

/** What every patched server needs to know. */
export interface InboundSettings {
  readonly capture: CaptureLevel;
  /** False once the patch was undone and the function lives on in somebody else's hands. */
  isActive(): boolean;
  /** Whether the user wants nothing to do with this request. Never throws. */
  ignores(request: InboundRequest): boolean;
}

/** The settings of one patch, by how the instrumentation is set up. */
export function inboundSettings(config: HttpInstrumentationConfig, isActive: () => boolean): InboundSettings {
  return {
    capture: config.capture ?? 'full',
    isActive,
    ignores: (request) => guarded('asking ignore', () => config.ignore?.(request) === true, false),
  };
}
