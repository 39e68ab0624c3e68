import { types } from 'node:util';

/** Values looked at: a sketch must cost less than recording what it is of. */
const VALUES_MAX = 2_000;

const FNV_PRIME = 16_777_619;
const FNV_OFFSET = 0x811c9dc5;

const numberBytes = new Float64Array(1);
const numberWords = new Int32Array(numberBytes.buffer);

const itemsOf = Array.prototype.values;
const membersOf = Set.prototype.values;
const pairsOf = Map.prototype.entries;

/** Keys and values in turn. */
function* entriesOf(map: Map<unknown, unknown>): Generator<unknown> {
  for (const pair of pairsOf.call(map)) yield* pair;
}

class Sketch {
  private hash = FNV_OFFSET;
  private left = VALUES_MAX;
  private readonly seen = new Set<object>();

  /** Undefined where there was more than may be looked at. */
  get result(): number | undefined {
    return this.left < 0 ? undefined : this.hash;
  }

  add(value: unknown): void {
    this.left -= 1;
    if (this.left < 0) return;
    if (typeof value === 'string') this.addText(value);
    else if (typeof value === 'number') this.addNumber(value);
    else if (typeof value === 'boolean') this.mix(value ? 1 : 2);
    else if (typeof value === 'bigint') this.addText(String(value));
    else if (value === null) this.mix(3);
    else if (typeof value === 'object') this.addObject(value);
    else this.mix(4);
  }

  private addNumber(value: number): void {
    numberBytes[0] = value;
    this.mix(numberWords[0] ?? 0);
    this.mix(numberWords[1] ?? 0);
  }

  private mix(word: number): void {
    this.hash = Math.imul(this.hash ^ word, FNV_PRIME);
  }

  /** Long texts are not read: one that was changed nearly always has another length, end, middle or beginning. */
  private addText(text: string): void {
    this.mix(text.length);
    for (const at of [0, text.length >> 1, text.length - 1]) this.mix(text.charCodeAt(at));
  }

  private addObject(object: object): void {
    if (types.isProxy(object) || this.seen.has(object)) {
      this.mix(5);
      return;
    }
    this.seen.add(object);
    // A class of the host's own that extends one of these may have code that gives its items.
    const prototype: unknown = Object.getPrototypeOf(object);
    if (prototype === Array.prototype) this.addItems(itemsOf.call(object as unknown[]), (object as unknown[]).length);
    else if (object instanceof Map && prototype === Map.prototype) this.addItems(entriesOf(object), object.size);
    else if (object instanceof Set && prototype === Set.prototype) this.addItems(membersOf.call(object), object.size);
    else if (prototype === Object.prototype || prototype === null) this.addMembers(object);
    else this.mix(6);
  }

  private addItems(items: Iterable<unknown>, count: number): void {
    this.mix(count);
    for (const item of items) {
      if (this.left < 0) break;
      this.add(item);
    }
  }

  private addMembers(object: object): void {
    for (const key in object) {
      if (this.left < 0) break;
      const member = Object.getOwnPropertyDescriptor(object, key);
      this.addText(key);
      // A getter is the host's code.
      this.add(member !== undefined && 'value' in member ? member.value : undefined);
    }
  }
}

/**
 * A number that is another one, but by chance, once something was put into, taken out of or replaced in a value: plain objects, arrays, maps and sets are
 * looked through. Undefined where it is too large for that. Runs no code of the host but a getter in the place of an array's item (docs/adr/0060).
 */
export function contentSketch(value: unknown): number | undefined {
  const sketch = new Sketch();
  sketch.add(value);
  return sketch.result;
}
