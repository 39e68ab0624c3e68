import type { DivergenceEvent, EditedEvent, MetEvent, StampedEvent } from '../events/replay-event.ts';

/** A live call, told apart from those of other processes. */
export interface MetRecord {
  readonly key: string;
  /** Position in the merged list of events. */
  readonly at: number;
  readonly service: string | undefined;
  readonly event: MetEvent;
}

/** A divergence as it was reported. */
export interface DivergenceRecord {
  readonly key: string | undefined;
  readonly at: number;
  readonly service?: string | undefined;
  readonly event: DivergenceEvent;
}

/** An edit as it was reported. */
export interface EditRecord {
  readonly key: string | undefined;
  readonly at: number;
  readonly event: EditedEvent;
}

/** The events of all processes of one replay, merged in the order in which they happened. */
export interface EventHistory {
  readonly met: readonly MetRecord[];
  readonly metByKey: ReadonlyMap<string, MetRecord>;
  readonly divergences: readonly DivergenceRecord[];
  readonly edits: readonly EditRecord[];
  /** When the agent was given the outcome of a call that had diverged, or that the plan had changed. */
  readonly settledAt: ReadonlyMap<string, number>;
  readonly events: readonly StampedEvent[];
  /** The processes that reported anything. */
  readonly processIds: ReadonlySet<string>;
}

function crossingKey(processId: string, crossing: number): string {
  return `${processId}:${crossing}`;
}

/** What tells more of a call than was told stands where the first word of it did: one cause with all its places. */
function addDivergence(records: DivergenceRecord[], record: DivergenceRecord): void {
  const { key, event } = record;
  const isEarlier = (other: DivergenceRecord): boolean => other.key === key && other.event.kind === event.kind;
  const place = event.replaces === true ? records.findLastIndex(isEarlier) : -1;
  const earlier = records[place];
  if (earlier === undefined) records.push(record);
  else records[place] = { ...record, at: earlier.at };
}

/** Merges events; those of one process keep the order in which it wrote them. */
export function eventHistory(unordered: readonly StampedEvent[]): EventHistory {
  const events = unordered.toSorted((left, right) => left.atUs - right.atUs);
  const met = new Map<string, MetRecord>();
  const divergences: DivergenceRecord[] = [];
  const edits: EditRecord[] = [];
  const settledAt = new Map<string, number>();
  const processIds = new Set<string>();
  events.forEach(({ processId, service, event }, at) => {
    processIds.add(processId);
    if (event.type === 'met') {
      // A call to a service that turned out to take no part is met twice: the later word counts, at its first place.
      const key = crossingKey(processId, event.crossing);
      met.set(key, { key, at: met.get(key)?.at ?? at, service, event });
    }
    if (event.type === 'settled') settledAt.set(crossingKey(processId, event.crossing), at);
    if (event.type === 'divergence') {
      const key = event.crossing === undefined ? undefined : crossingKey(processId, event.crossing);
      addDivergence(divergences, { key, at, service, event });
    }
    if (event.type === 'edited') {
      const key = event.crossing === undefined ? undefined : crossingKey(processId, event.crossing);
      edits.push({ key, at, event });
    }
  });
  return { met: [...met.values()], metByKey: met, divergences, edits, settledAt, events, processIds };
}
