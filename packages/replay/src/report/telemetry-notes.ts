import type { StampedEvent } from '../events/replay-event.ts';
import { TELEMETRY_HELD_COUNTED_MAX } from '../limits.ts';

/** What a report says of telemetry that was held back: for each place how many requests, and how to let them out. */
export function telemetryNotes(events: readonly StampedEvent[]): string[] {
  const held = new Map<string, { count: number; readonly allow: string }>();
  const countsByWhoCounts = new Map<string, number>();
  for (const { event, processId, run } of events) {
    if (event.type !== 'telemetry-held') continue;
    const whoCounts = `${processId} ${run}`;
    countsByWhoCounts.set(whoCounts, (countsByWhoCounts.get(whoCounts) ?? 0) + 1);
    const known = held.get(event.target) ?? { count: 0, allow: event.allow };
    known.count += 1;
    held.set(event.target, known);
  }
  // Whoever has come to the limit counts no more, of whatever place.
  const isAtLeast = Math.max(0, ...countsByWhoCounts.values()) >= TELEMETRY_HELD_COUNTED_MAX;
  return [...held].map(([target, { count, allow }]) => {
    const requests = count === 1 ? '1 request' : `${count.toLocaleString('en')} requests`;
    return `Telemetry to ${target} was held back: ${isAtLeast ? `at least ${requests}` : requests}. To let it out: ${allow}.`;
  });
}
