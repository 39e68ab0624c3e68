import type { HttpInstrumentationConfig } from '../types.ts';

/** Puts the gate before every server of this process. Returns how to undo it. */
export function patchInbound(_config: HttpInstrumentationConfig): () => void {
  return () => undefined;
}
