import type { RecordedTimer } from './timer-place.ts';

/** A timer, or a piece of work, as it was recorded. */
export interface RecordedEvent extends RecordedTimer {
  /** How many events of the run had been numbered when it was set, or begun. */
  readonly setAt: number;
  /** Its place among those of its sort in its crossing, from 0. */
  readonly ordinal: number;
}

/** Whether nothing was numbered between its beginning and the last that is known of it: it was refused, called back at once, or outlived its crossing. */
export function isOverAtOnce({ hasFired, order, setAt }: RecordedEvent): boolean {
  return !hasFired && order === setAt;
}

/** Reads what a recording says of timers or work of one sort, in the order in which they were set. `originUnixNano`: when the run started. */
export function recordedEvents(triples: readonly number[], originUnixNano: bigint): RecordedEvent[] {
  const events: RecordedEvent[] = [];
  let [setAt, unixUs] = [0, 0];
  for (let index = 0; index + 2 < triples.length; index += 3) {
    const [sinceSet = 0, after = 0, sinceUs = 0] = triples.slice(index, index + 3);
    setAt += sinceSet;
    unixUs += sinceUs;
    const timeUs = Number(BigInt(unixUs) * 1_000n - originUnixNano) / 1_000;
    events.push({
      timeUs,
      order: setAt + (after < 0 ? -1 - after : after),
      hasFired: after >= 0,
      setAt,
      ordinal: index / 3,
    });
  }
  return events;
}
