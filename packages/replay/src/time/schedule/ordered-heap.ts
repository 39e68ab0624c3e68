/** What a heap sorts by: recorded time, then completion order, then the order of asking. */
export interface Ordered {
  readonly timeUs: number;
  readonly tie: number;
  readonly added: number;
}

function isBefore(left: Ordered, right: Ordered): boolean {
  if (left.timeUs !== right.timeUs) return left.timeUs < right.timeUs;
  return left.tie === right.tie ? left.added < right.added : left.tie < right.tie;
}

/** A binary heap: the earliest entry comes out first, each push and pop in logarithmic time. */
export class OrderedHeap<Entry extends Ordered> {
  private entries: Entry[] = [];

  /** The earliest entry, which stays in; undefined where the heap is empty. */
  get first(): Entry | undefined {
    return this.entries[0];
  }

  /** How many entries there are. */
  get size(): number {
    return this.entries.length;
  }

  /** Whether this holds of one of the entries, in linear time. */
  some(holds: (entry: Entry) => boolean): boolean {
    return this.entries.some(holds);
  }

  /** The earliest entry of which this holds, in linear time where it is not the first. */
  earliest(holds: (entry: Entry) => boolean): Entry | undefined {
    const [first] = this.entries;
    if (first === undefined || holds(first)) return first;
    let found: Entry | undefined;
    for (const entry of this.entries)
      if (holds(entry) && (found === undefined || isBefore(entry, found))) found = entry;
    return found;
  }

  /** Changes what the entries are sorted by, in linear time at best. */
  change(callback: (entry: Entry) => void): void {
    this.entries.forEach(callback);
    this.retain(() => true);
  }

  /** Takes out every entry that is not to be kept, in linear time. */
  retain(keeps: (entry: Entry) => boolean): void {
    const kept = this.entries.filter(keeps);
    this.entries = [];
    for (const entry of kept) this.push(entry);
  }

  /** Adds an entry. */
  push(entry: Entry): void {
    const { entries } = this;
    let index = entries.push(entry) - 1;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = entries[above];
      if (parent === undefined || !isBefore(entry, parent)) break;
      entries[index] = parent;
      index = above;
    }
    entries[index] = entry;
  }

  /** Takes the earliest entry out, or undefined from an empty heap. */
  pop(): Entry | undefined {
    const { entries } = this;
    const [earliest] = entries;
    const last = entries.pop();
    if (last === undefined || entries.length === 0) return earliest;
    let index = 0;
    for (;;) {
      const below = this.earlierChild(index);
      const child = below === undefined ? undefined : entries[below];
      if (below === undefined || child === undefined || !isBefore(child, last)) break;
      entries[index] = child;
      index = below;
    }
    entries[index] = last;
    return earliest;
  }

  private earlierChild(index: number): number | undefined {
    const left = this.entries[2 * index + 1];
    const right = this.entries[2 * index + 2];
    if (left === undefined) return undefined;
    return right !== undefined && isBefore(right, left) ? 2 * index + 2 : 2 * index + 1;
  }
}
