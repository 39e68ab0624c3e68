import { randomBytes } from 'node:crypto';
import type { TraceName } from '../../store/store.ts';

/** Runs of one tenant that were deleted together. */
export interface Deletion {
  readonly tenant: string;
  readonly traceIds: readonly string[];
}

interface NumberedDeletion extends Deletion {
  readonly number: number;
}

/**
 * What was deleted last, for those who follow runs: of what is gone no store can tell. Held in memory and bounded, once for all readers; each knows up to
 * which number it was told, and of which memory that number is: another start has another one.
 */
export class RecentDeletions {
  private readonly tracesMax: number;
  private readonly memory = randomBytes(4).toString('hex');
  private readonly remembered: NumberedDeletion[] = [];
  private readonly listeners = new Set<() => void>();
  private traces = 0;
  private last = 0;
  private forgotten = 0;

  constructor(tracesMax: number) {
    this.tracesMax = tracesMax;
  }

  /** The number of the last deletion. */
  get lastNumber(): number {
    return this.last;
  }

  /** Has something told of each deletion from now on. */
  onAdded(listener: () => void): void {
    this.listeners.add(listener);
  }

  /** Remembers that traces are gone. */
  add(traces: readonly TraceName[]): void {
    const byTenant = Map.groupBy(traces, ([tenant]) => tenant);
    for (const [tenant, names] of byTenant) {
      this.last += 1;
      this.traces += names.length;
      this.remembered.push({ number: this.last, tenant, traceIds: names.map(([, traceId]) => traceId) });
    }
    while (this.traces > this.tracesMax) {
      const oldest = this.remembered.shift();
      this.traces -= oldest?.traceIds.length ?? this.traces;
      this.forgotten = oldest?.number ?? this.last;
    }
    for (const listener of this.listeners) listener();
  }

  /** A number as readers are told it, and come back with. */
  placeOf(number: number): string {
    return `${this.memory}.${number}`;
  }

  /** The number that a reader came back with; undefined where what was deleted since is not remembered, or it knows no number. */
  numberAt(place: string | undefined): number | undefined {
    const [memory, number] = place?.split('.') ?? [];
    if (memory !== this.memory || number === undefined) return undefined;
    const known = Number(number);
    return known >= this.forgotten && known <= this.last ? known : undefined;
  }

  /** The first deletion of a tenant behind a number, and the number behind which to look next. */
  next(tenant: string, after: number): { readonly deletion: Deletion | undefined; readonly number: number } {
    const deletion = this.remembered.find((remembered) => remembered.number > after && remembered.tenant === tenant);
    return { deletion, number: deletion?.number ?? this.last };
  }
}
