/** Under which name it stands in `reenact.draws` when a resource was entered: those of one type are counted from 0, in the order in which the code of a crossing makes them. */
export function entriesKey(type: string, ordinal: number): string {
  return `entries ${type} ${ordinal}`;
}

/** Counts the resources of each type that the code of each crossing makes. */
export class ResourceOrdinals {
  private readonly counts = new WeakMap<object, Map<string, number>>();

  /** The ordinal of a new resource in a place, from 0. */
  next(place: object, type: string): number {
    const counts = this.counts.get(place) ?? new Map<string, number>();
    this.counts.set(place, counts);
    const ordinal = counts.get(type) ?? 0;
    counts.set(type, ordinal + 1);
    return ordinal;
  }
}
