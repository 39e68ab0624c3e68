const EMPTY: Uint8Array = new Uint8Array(0);
/** Shorter parts are copied byte by byte: the platform's own copy costs more than that for each. */
const SHORT_BYTES = 32;

/**
 * Parts of some bytes that become one array: each is noted, in their order; then, where `isScattered`, each is filled in, in the same order.
 * Parts that follow one another are one and are not copied, and no part costs memory of its own, since a request may have millions.
 */
export class ByteParts {
  private readonly bytes: Uint8Array;
  private ranges = 0;
  private total = 0;
  private start = 0;
  private end = 0;
  private joined: Uint8Array | undefined;
  private filled = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** Whether the parts have to be filled in before they are one. */
  get isScattered(): boolean {
    return this.ranges > 1;
  }

  /** Counts in the part at [start, end). */
  note(start: number, end: number): void {
    if (start === end) return;
    if (this.ranges === 0 || this.end !== start) {
      this.ranges += 1;
      this.start = start;
    }
    this.end = end;
    this.total += end - start;
  }

  /** Copies the part at [start, end). */
  fill(start: number, end: number): void {
    this.joined ??= new Uint8Array(this.total);
    this.filled = copyBytes(this.bytes, start, end, this.joined, this.filled);
  }

  /** All parts; empty where there were none. */
  whole(): Uint8Array {
    if (this.total === 0) return EMPTY;
    return this.joined ?? this.bytes.subarray(this.start, this.end);
  }
}

/** Copies from[start, end) to `at`; where that ends. */
export function copyBytes(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): number {
  if (end - start > SHORT_BYTES) {
    to.set(from.subarray(start, end), at);
    return at + end - start;
  }
  let next = at;
  for (let position = start; position < end; position += 1) to[next++] = from[position] as number;
  return next;
}
