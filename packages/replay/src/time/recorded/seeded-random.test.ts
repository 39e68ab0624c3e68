import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SeededRandom } from './seeded-random.ts';

describe('seeded random values', () => {
  it('are the same for the same seed and others for another', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (seed, other) => {
        const [first, again] = [new SeededRandom(seed), new SeededRandom(seed)];
        const drawn = Array.from({ length: 20 }, () => first.number());
        expect(Array.from({ length: 20 }, () => again.number())).toEqual(drawn);
        fc.pre(seed !== other);
        expect(new SeededRandom(other).number()).not.toBe(drawn[0]);
      }),
    );
  });

  it('are spread evenly over the whole range', () => {
    const source = new SeededRandom('spread');
    const buckets = new Array<number>(10).fill(0);
    const draws = 100_000;
    for (let index = 0; index < draws; index += 1) {
      const bucket = Math.floor(source.number() * 10);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    expect(buckets).toHaveLength(10);
    for (const count of buckets) expect(Math.abs(count - draws / 10)).toBeLessThan(draws / 10 / 20);
    expect(new Set(source.bytes(10_000)).size).toBe(256);
  });

  it('keep integers in their range, and UUIDs in the form of version 4', () => {
    const source = new SeededRandom('forms');
    const rolled = new Set(Array.from({ length: 1_000 }, () => source.integer(1, 7)));
    expect(rolled).toEqual(new Set([1, 2, 3, 4, 5, 6]));
    const ids = Array.from({ length: 100 }, () => source.uuid());
    expect(new Set(ids).size).toBe(100);
    for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });
});
