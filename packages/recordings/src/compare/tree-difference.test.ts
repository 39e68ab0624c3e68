import { canonicalJson } from '@reenact/trace-model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PLACES_LISTED_MAX } from './limits.ts';
import { treeDifference } from './tree-difference.ts';

const message = (content: string): object => ({ role: 'user', content });

describe('the difference of two trees', () => {
  it('names the path and both values', () => {
    expect(treeDifference({ a: [1, { b: 'x' }] }, { a: [1, { b: 'y' }] }).places).toEqual([
      { path: '$.a[1].b', left: '"x"', right: '"y"' },
    ]);
  });

  it('looks into the JSON that texts hold, and shows a date as one value', () => {
    const trees = [1, 2].map((day) => ({
      content: JSON.stringify({ orders: [...(day === 2 ? [{ id: 'x' }] : []), { id: 'a', count: day }] }),
      at: { $: 'date', value: `2026-11-0${day}` },
    }));
    expect(treeDifference(trees[0], trees[1]).places).toEqual([
      { path: '$.content › $.orders[0].id', left: '"a"', right: '"x"' },
      { path: '$.content › $.orders[0].count', left: '1' },
      { path: '$.content › $.orders[1]', right: '{"id":"a","count":2}' },
      { path: '$.at', left: 'Date(2026-11-01)', right: 'Date(2026-11-02)' },
    ]);
    expect(treeDifference('{"a":1,"b":2}', '{"b":2,"a":1}').places).toMatchObject([{ path: '$' }]);
  });

  it('marks an added message and nothing after it', () => {
    const left = { messages: ['one', 'two', 'three'].map(message) };
    const right = { messages: ['one', 'new', 'two', 'three'].map(message) };
    expect(treeDifference(left, right).places).toEqual([
      { path: '$.messages[1]', right: '{"role":"user","content":"new"}' },
    ]);
    expect(treeDifference(right, left).places[0]).toMatchObject({ path: '$.messages[1]', left: expect.any(String) });
  });

  it('gives both paths where a changed member stands at another place', () => {
    const left = ['one', 'two', 'three'].map(message);
    const right = ['new', 'one', 'two', 'THREE'].map(message);
    expect(treeDifference(left, right).places).toEqual([
      { path: '$[0]', right: '{"role":"user","content":"new"}' },
      { path: '$[2].content', rightPath: '$[3].content', left: '"three"', right: '"THREE"' },
    ]);
  });

  it('does not take what objects inherit for members', () => {
    expect(treeDifference({}, { constructor: 1 }).places).toEqual([{ path: '$.constructor', right: '1' }]);
  });

  it('is bounded and counts the rest, also where arrays are too long to align', () => {
    const texts = (from: number): string[] => Array.from({ length: 1_500 }, (_, index) => `text ${from + index}`);
    const found = treeDifference(texts(0), texts(10_000));
    expect(found.total).toBe(1_500);
    expect(found.places).toHaveLength(PLACES_LISTED_MAX);
  });

  it('shows a vector as one value', () => {
    const vector = (last: number): number[] => [...Array.from({ length: 1_535 }, (_, index) => index / 7), last];
    const { places, total } = treeDifference({ embedding: vector(1) }, { embedding: vector(2) });
    expect(total).toBe(1);
    expect(places[0]).toMatchObject({ path: '$.embedding', left: expect.stringMatching(/ \(1536 numbers\)$/) });
    expect(treeDifference(vector(1), vector(1)).total).toBe(0);
  });

  it('is empty exactly for equal trees', () => {
    const trees = fc.jsonValue({ maxDepth: 3 }).map((tree): unknown => JSON.parse(JSON.stringify(tree)));
    fc.assert(
      fc.property(trees, trees, (left, right) => {
        expect(treeDifference(left, left).total).toBe(0);
        expect(treeDifference(left, right).total === 0).toBe(canonicalJson(left) === canonicalJson(right));
      }),
    );
  });
});
