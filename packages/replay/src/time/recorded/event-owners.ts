import type { Recording } from '@reenact/trace-model';
import { recordedEvents } from './recorded-events.ts';

/**
 * Tells of each event of a run whose code was to hear of it: an outcome its caller's, a timer or a piece of work that of the crossing which had begun it.
 */
export class EventOwners {
  private readonly recording: Recording;
  private known: ReadonlyMap<number, string> | undefined;

  constructor(recording: Recording) {
    this.recording = recording;
  }

  /**
   * Whether the code that heard of an event hears of it in this replay, too: not where it was in a call that is served, as `isServed` says by its span
   * id.
   */
  comes(order: number, isServed: (spanId: string) => boolean): boolean {
    this.known ??= ownersOf(this.recording);
    let spanId = this.known.get(order);
    // A number that nothing has is left out by a recorder that kept no more, or was lost.
    if (spanId === undefined) return false;
    for (; spanId !== undefined; spanId = this.recording.bySpanId.get(spanId)?.parentSpanId)
      if (isServed(spanId)) return false;
    return true;
  }
}

function ownersOf({ crossings }: Recording): ReadonlyMap<number, string> {
  const owners = new Map<number, string>();
  for (const { spanId, parentSpanId, settled, draws } of crossings) {
    if (settled !== undefined && parentSpanId !== undefined) owners.set(settled, parentSpanId);
    for (const triples of [...Object.values(draws?.timers ?? {}), ...Object.values(draws?.work ?? {})])
      for (const { hasFired, order } of recordedEvents(triples, 0n)) if (hasFired) owners.set(order, spanId);
  }
  return owners;
}
