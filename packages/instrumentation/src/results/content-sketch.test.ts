import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentSketch } from './content-sketch.ts';

const plain = fc.anything({ withMap: true, withSet: true, maxDepth: 4 });

describe('the sketch of a value', () => {
  it('is the same as long as nothing is done to it', () => {
    fc.assert(
      fc.property(plain, (value) => {
        expect(contentSketch(value)).toBe(contentSketch(value));
      }),
    );
    const text = 'x'.repeat(1_000_000);
    expect(contentSketch([text])).toBe(contentSketch([`${text}`]));
  });

  it('is another one where something is put in, taken out or replaced', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ a: fc.string(), b: fc.integer() }), { minLength: 1 }), fc.nat(), (list, at) => {
        const before = contentSketch(list);
        const item = list[at % list.length];
        if (item === undefined) return;
        const { b } = item;
        item.b = b + 1;
        expect(contentSketch(list)).not.toBe(before);
        item.b = b;
        expect(contentSketch(list)).toBe(before);
        Object.assign(item, { extra: undefined });
        expect(contentSketch(list)).not.toBe(before);
        list.pop();
        expect(contentSketch(list)).not.toBe(before);
      }),
    );
    const map = new Map([['a', 1]]);
    const before = contentSketch({ map });
    map.set('a', 2);
    expect(contentSketch({ map })).not.toBe(before);
  });

  it('ends with rings, and with what is too large', () => {
    const ring: unknown[] = [];
    ring.push(ring);
    expect(contentSketch(ring)).toBe(contentSketch(ring));
    expect(contentSketch(Array.from({ length: 5_000 }, () => 1))).toBeUndefined();
    expect(contentSketch(Object.fromEntries(Array.from({ length: 5_000 }, (_, key) => [key, 1])))).toBeUndefined();
  });

  it('runs no code of the host', () => {
    const host = {
      get mine(): string {
        throw new Error('read');
      },
    };
    const proxy = new Proxy({}, { ownKeys: () => expect.unreachable(), getPrototypeOf: () => expect.unreachable() });
    expect(contentSketch([host, proxy])).toBe(contentSketch([host, proxy]));
  });
});
