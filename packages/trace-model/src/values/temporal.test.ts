import { describe, expect, it, vi } from 'vitest';
import { decodeValue, encodeValue } from './value-codec.ts';

/** A class that has nothing to look at but what Temporal's have: a tag, a text, units, and a way to be made. */
function temporalLike(name: string): { from(given: unknown): object } {
  const { [name]: Like } = {
    [name]: class {
      readonly #given: unknown;
      constructor(given: unknown) {
        this.#given = given;
      }
      static from(given: unknown): object {
        return new this(given);
      }
      get given(): unknown {
        return this.#given;
      }
      get milliseconds(): unknown {
        return Reflect.get(Object(this.#given) as object, 'milliseconds');
      }
      get [Symbol.toStringTag](): string {
        return `Temporal.${name}`;
      }
      toString(): string {
        return String(this.#given);
      }
    },
  };
  if (Like === undefined) throw new TypeError('a class was made');
  return Like;
}

describe('times of Temporal', () => {
  it('come back as what they were, on a Node.js that has them or of one that is put there', () => {
    const classes = Object.fromEntries(['Instant', 'Duration'].map((name) => [name, temporalLike(name)]));
    vi.stubGlobal('Temporal', classes);
    const values = [
      classes.Instant?.from('2026-11-17T15:14:00.000000001Z'),
      classes.Duration?.from({ milliseconds: 1500 }),
    ];
    const { payload, lossy } = encodeValue(values);
    const again = decodeValue(payload) as { readonly given: unknown }[];
    vi.unstubAllGlobals();
    expect([lossy, again.map((item) => item.constructor.name)]).toEqual([[], ['Instant', 'Duration']]);
    expect(again[0]?.given).toBe('2026-11-17T15:14:00.000000001Z');
    expect(again[1]?.given).toMatchObject({ milliseconds: 1500 });
    const other = encodeValue([classes.Instant?.from('2026-11-17T15:14:00Z'), values[1]]);
    expect(other.payload.data).not.toBe(payload.data);
  });

  it('of a polyfill are compared by what they say, and marked', () => {
    const at = (text: string) => encodeValue({ at: temporalLike('Instant').from(text) });
    expect(at('2026-11-17T15:14:00Z').lossy).toEqual(['/at class Instant']);
    expect(at('2026-11-17T15:14:00Z').payload.data).not.toBe(at('2026-11-17T15:15:00Z').payload.data);
  });
});
