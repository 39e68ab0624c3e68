import type { TraceName } from '../store/store.ts';

/** Runs of one tenant that were deleted together. */
export interface Deletion {
  readonly tenant: string;
  readonly traceIds: readonly string[];
}

interface NumberedDeletion extends Deletion {
  readonly number: number;
  /** The newest change of any run by then. */
  readonly change: number;
}

/**
 * What was deleted last, for those who follow runs: of what is gone no store can tell. Held in memory and bounded, once for all readers; each knows up to
 * which number it was told.
 */
export class RecentDeletions {
  private readonly tracesMax: number;
  private readonly remembered: NumberedDeletion[] = [];
  private readonly listeners = new Set<() => void>();
  private traces = 0;
  private last = 0;

  constructor(tracesMax: number) {
    this.tracesMax = tracesMax;
  }

  /** Has something told of each deletion from now on. */
  onAdded(listener: () => void): void {
    this.listeners.add(listener);
  }

  /** Remembers that traces are gone. `change`: the newest change of any run by now. */
  add(traces: readonly TraceName[], change: number): void {
    const byTenant = Map.groupBy(traces, ([tenant]) => tenant);
    for (const [tenant, names] of byTenant) {
      this.last += 1;
      this.traces += names.length;
      this.remembered.push({ number: this.last, change, tenant, traceIds: names.map(([, traceId]) => traceId) });
    }
    while (this.traces > this.tracesMax) this.traces -= this.remembered.shift()?.traceIds.length ?? this.traces;
    for (const listener of this.listeners) listener();
  }

  /** The number behind which are all deletions that somebody may not know of who was told of changes up to this one. */
  numberBefore(change: number): number {
    return (this.remembered.find((deletion) => deletion.change >= change)?.number ?? this.last + 1) - 1;
  }

  /** The first deletion of a tenant behind a number, and the number behind which to look next. */
  next(tenant: string, after: number): { readonly deletion: Deletion | undefined; readonly number: number } {
    const deletion = this.remembered.find((remembered) => remembered.number > after && remembered.tenant === tenant);
    return { deletion, number: deletion?.number ?? this.last };
  }
}
