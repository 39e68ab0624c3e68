import { type Recording, UPGRADED_MARK } from '@reenact/trace-model';
import { setUpOf } from '@reenact/trace-model/reading';

/**
 * Span ids of what made its connection one of another protocol, such as a WebSocket, in the run and before it: what came over that does
 * not come again.
 */
export function upgradesIn(recording: Recording, rootSpanId: string): ReadonlySet<string> {
  const crossings = [...recording.crossings, ...(setUpOf(recording, rootSpanId)?.crossings ?? [])];
  return new Set(crossings.filter(({ lossy }) => lossy.includes(UPGRADED_MARK)).map(({ spanId }) => spanId));
}
