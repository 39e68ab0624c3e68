import { decodeValue, encodeValue, payloadTree } from '@reenact/trace-model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonPath } from '../recorded/json-path.ts';
import { payloadOfTree } from './outcome-payloads.ts';
import { withValueInTree } from './value-at-path.ts';
import { placeInTree } from './value-place.ts';

/** A value with another one at a path, as an edit of a recording makes it. */
function edited(value: unknown, path: JsonPath, by: unknown): unknown {
  const replaced = withValueInTree(payloadTree(encodeValue(value).payload), path, by);
  return 'value' in replaced ? decodeValue(payloadOfTree(replaced.value)) : replaced;
}

function rowOf(members: object): object {
  return Object.assign(Object.create(null) as object, members);
}

/** Leaves of a value, by the path that its user would write. */
function leavesOf(value: unknown, above: JsonPath = []): JsonPath[] {
  if (typeof value !== 'object' || value === null) return [above];
  return Object.entries(value).flatMap(([key, item]) => {
    return leavesOf(item, [...above, Array.isArray(value) && /^\d+$/.test(key) ? Number(key) : key]);
  });
}

function at(value: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>((inside, step) => (inside as Record<string | number, unknown>)[step], value);
}

describe('a place in a value', () => {
  it('is found in what stands for it, whatever that is', () => {
    const { value: tree } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<unknown>(1, 'text', null),
        fc.array(tie('value'), { minLength: 1, maxLength: 3 }),
        fc.array(tie('value'), { minLength: 1, maxLength: 2 }).map((items) => Object.assign(items, { index: 1 })),
        fc.dictionary(fc.constantFrom('a', 'fields', '$', 'value', 'total'), tie('value'), { minKeys: 1, maxKeys: 3 }),
        fc.dictionary(fc.constantFrom('a', 'fields', 'total'), tie('value'), { minKeys: 1, maxKeys: 3 }).map(rowOf),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        for (const path of leavesOf(value)) expect(at(edited(value, path, 'edited'), path)).toBe('edited');
      }),
    );
  });

  it('may be a new member of an object, and of nothing else', () => {
    expect(edited(rowOf({ total: 4999 }), ['currency'], 'EUR')).toEqual(rowOf({ total: 4999, currency: 'EUR' }));
    expect(edited({ at: new Date(0) }, ['at', 'year'], 2026)).toMatchObject({ missingAt: '$.at' });
    expect(edited({ known: new Map([['a', 1]]) }, ['known', 'a'], 2)).toMatchObject({ missingAt: '$.known' });
  });

  it('may be written as the recording shows it', () => {
    const tree = payloadTree(encodeValue(rowOf({ total: 4999 })).payload);
    expect(placeInTree(tree, ['fields', 'total'])).toEqual(['fields', 'total']);
    expect(placeInTree(tree, ['total'])).toEqual(['fields', 'total']);
  });

  it('is found in what is there several times, and in an error', () => {
    const shared = { total: 1 };
    expect(edited({ first: shared, second: shared }, ['first', 'total'], 2)).toEqual({
      first: { total: 2 },
      second: { total: 2 },
    });
    expect(edited({ first: shared, second: shared }, ['second', 'total'], 2)).toEqual({
      first: { total: 2 },
      second: { total: 2 },
    });
    const error = Object.assign(new Error('no', { cause: new Error('why') }), { code: 'E1' });
    expect(edited({ error }, ['error', 'cause', 'message'], 'so')).toMatchObject({
      error: { cause: { message: 'so' } },
    });
    expect(edited({ error }, ['error', 'code'], 'E2')).toMatchObject({ error: { code: 'E2', message: 'no' } });
    expect(edited({ error }, ['error', 'message'], 'yes')).toMatchObject({ error: { code: 'E1', message: 'yes' } });
  });

  it('may be taken by another value where others mean the one that was there', () => {
    const shared = { total: 1 };
    expect(edited({ first: shared, second: shared }, ['first'], 5)).toEqual({ first: 5, second: shared });
    expect(edited({ a: { x: shared }, b: shared, c: [shared] }, ['a'], null)).toEqual({
      a: null,
      b: shared,
      c: [shared],
    });
    const rest = edited([shared, shared, shared], [0], 'new') as [string, object, object];
    expect(rest).toEqual(['new', shared, shared]);
    expect(rest[1]).toBe(rest[2]);
    const inner = { n: 1 };
    const outer = { inner };
    const nested = edited({ first: outer, second: inner, third: outer }, ['first'], 0) as Record<string, typeof outer>;
    expect(nested).toEqual({ first: 0, second: inner, third: outer });
    expect(nested.third?.inner).toBe(nested.second);
  });
});
