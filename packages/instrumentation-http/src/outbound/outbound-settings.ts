import { guarded } from '@reenact/instrumentation';
import type { CaptureLevel } from '@reenact/trace-model';
import type { HttpInstrumentationConfig, OutboundRequest } from '../types.ts';

/** What every patched way of sending a request needs to know. */
export interface OutboundSettings {
  readonly capture: CaptureLevel;
  /** False once the patch was undone and the function lives on in somebody else's hands. */
  isActive(): boolean;
  /** Whether the user wants nothing to do with this request. Never throws. */
  ignores(request: OutboundRequest): boolean;
}

/** The settings of one patch, by how the instrumentation is set up. */
export function outboundSettings(config: HttpInstrumentationConfig, isActive: () => boolean): OutboundSettings {
  return {
    capture: config.capture ?? 'full',
    isActive,
    ignores: (request) => guarded('asking ignoreOutbound', () => config.ignoreOutbound?.(request) === true, false),
  };
}
