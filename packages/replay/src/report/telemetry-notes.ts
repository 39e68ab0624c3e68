import type { StampedEvent } from '../events/replay-event.ts';
import { TELEMETRY_HELD_COUNTED_MAX } from '../limits.ts';

/** What a report says of telemetry that was held back: for each place how many requests, and how to let them out. */
export function telemetryNotes(events: readonly StampedEvent[]): string[] {
  const held = new Map<string, { count: number; readonly allow: string }>();
  for (const { event } of events) {
    if (event.type !== 'telemetry-held') continue;
    const known = held.get(event.target) ?? { count: 0, allow: event.allow };
    known.count += 1;
    held.set(event.target, known);
  }
  return [...held].map(([target, { count, allow }]) => {
    const requests = count === 1 ? '1 request' : `${count.toLocaleString('en')} requests`;
    const isAtLeast = count >= TELEMETRY_HELD_COUNTED_MAX;
    return `Telemetry to ${target} was held back: ${isAtLeast ? `at least ${requests}` : requests}. To let it out: ${allow}.`;
  });
}
