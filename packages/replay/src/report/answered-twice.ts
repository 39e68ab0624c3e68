import { type Crossing, crossingLabel } from '@reenact/trace-model';
import type { EventHistory } from './event-history.ts';

/**
 * Recorded crossings that more than one process of a replay was answered from, by label. Each process keeps its own
 * consumption, so only the merged events show that something recorded once happened twice.
 */
export function answeredTwice({ met, processIds }: EventHistory, recorded: readonly Crossing[]): string[] {
  if (processIds.size < 2) return [];
  const processes = new Map<string, Set<string>>();
  for (const { key, event } of met) {
    if (event.recordedSpanId === undefined || event.answer === 'refused') continue;
    const seen = processes.get(event.recordedSpanId) ?? new Set();
    seen.add(key.slice(0, key.lastIndexOf(':')));
    processes.set(event.recordedSpanId, seen);
  }
  return recorded.filter(({ spanId }) => (processes.get(spanId)?.size ?? 0) > 1).map(crossingLabel);
}
