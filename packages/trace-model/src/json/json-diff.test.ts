import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DIFF_ENTRIES_MAX,
  DIFF_VALUE_CHARACTERS_MAX,
  JSON_IN_TEXT_CHARACTERS_MAX,
  JSON_IN_TEXT_DEPTH_MAX,
} from '../limits.ts';
import { diffTrees } from './json-diff.ts';
import { canonicalJson } from './json-tree.ts';

describe('a difference', () => {
  it('names its JSON path, the recorded and the live value', () => {
    const recorded = { messages: [{ content: 'sell $1,000 worth' }], 'odd name': 1 };
    const live = { messages: [{ content: 'sell 1,000 shares' }], 'odd name': 2 };
    expect(diffTrees(recorded, live).entries).toEqual([
      { path: '$.messages[0].content', recorded: '"sell $1,000 worth"', live: '"sell 1,000 shares"' },
      { path: '$["odd name"]', recorded: '1', live: '2' },
    ]);
  });

  it('leaves out the side that does not exist', () => {
    expect(diffTrees([1], [1, 2]).entries).toEqual([{ path: '$[1]', live: '2' }]);
    expect(diffTrees({ a: 1 }, {}).entries).toEqual([{ path: '$.a', recorded: '1' }]);
  });

  it('tells types apart', () => {
    expect(diffTrees({ a: 1 }, { a: '1' }).total).toBe(1);
    expect(diffTrees({ a: [] }, { a: {} }).total).toBe(1);
    expect(diffTrees({ a: null }, {}).total).toBe(1);
  });
});

describe('the list of differences', () => {
  it('is bounded in length and width, and counts the rest', () => {
    const recorded = Array.from({ length: 1000 }, () => 'a'.repeat(10_000));
    const live = recorded.map(() => 'b');
    const difference = diffTrees(recorded, live);
    expect(difference.total).toBe(1000);
    expect(difference.entries).toHaveLength(DIFF_ENTRIES_MAX);
    expect(difference.entries[0]?.recorded?.length).toBeLessThan(DIFF_VALUE_CHARACTERS_MAX + 40);
    expect(difference.entries[0]?.recorded).toMatch(/\(10002 characters\)$/);
  });

  it('shows long values around the place where they differ', () => {
    const prompt = 'You are a careful trader. '.repeat(500);
    const [entry] = diffTrees(`${prompt}Limit 500.${prompt}`, `${prompt}Limit 900.${prompt}`).entries;
    expect(entry?.recorded).toContain('Limit 500.');
    expect(entry?.live).toContain('Limit 900.');
    expect(entry?.live?.length).toBeLessThan(DIFF_VALUE_CHARACTERS_MAX + 40);
  });

  it('takes what people read as one value for one', () => {
    const at = (value: string) => ({ at: { $: 'date', value }, count: { $: 'bigint', value: '12' } });
    expect(diffTrees(at('2026-11-17T15:14:00.000Z'), at('2026-11-18T15:14:00.000Z')).entries).toEqual([
      { path: '$.at', recorded: 'Date(2026-11-17T15:14:00.000Z)', live: 'Date(2026-11-18T15:14:00.000Z)' },
    ]);
  });

  it('does not take what every object inherits for a value', () => {
    expect(diffTrees({}, { constructor: 1 }).entries).toEqual([{ path: '$.constructor', live: '1' }]);
    expect(diffTrees(JSON.parse('{"__proto__":1}'), {}).entries).toEqual([{ path: '$.__proto__', recorded: '1' }]);
  });

  it('looks into a member that is named like a tag and is none', () => {
    expect(diffTrees({ $: {} }, { $: {} }).total).toBe(0);
    expect(diffTrees({ $: { a: 1 } }, { $: { a: 2 } }).entries).toEqual([
      { path: '$["$"].a', recorded: '1', live: '2' },
    ]);
  });

  it('is empty exactly when the canonical texts are equal', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (left, right) => {
        const text = JSON.stringify(left);
        expect(diffTrees(JSON.parse(text), JSON.parse(text)).total).toBe(0);
        const [normalLeft, normalRight] = [JSON.parse(text), JSON.parse(JSON.stringify(right))] as const;
        expect(diffTrees(normalLeft, normalRight).total === 0).toBe(
          canonicalJson(normalLeft) === canonicalJson(normalRight),
        );
      }),
    );
  });
});

describe('a difference of texts that hold JSON', () => {
  const answer = (tree: unknown) => ({ messages: [{ role: 'tool', content: JSON.stringify(tree) }] });

  it('names its place in that JSON, however often it was written into a text', () => {
    expect(diffTrees(answer({ price: 190, at: 1 }), answer({ price: 191, at: 1 })).entries).toEqual([
      { path: '$.messages[0].content › $.price', recorded: '190', live: '191' },
    ]);
    const twice = (quantity: number) => JSON.stringify({ call: JSON.stringify([{ quantity }]) });
    expect(diffTrees(twice(1), twice(1000)).entries).toEqual([
      { path: '$ › $.call › $[0].quantity', recorded: '1', live: '1000' },
    ]);
  });

  it('is that of the texts where they have no name in common, or are no objects and no lists', () => {
    for (const [left, right] of [
      ['{"blocked":true}', '{"orderId":1}'],
      ['{"a":1}', '[1]'],
      ['[]', '[1]'],
      ['1', '2'],
      ['{"a":1}', '{"a":1'],
      ['{"a":1}', 'no JSON'],
    ])
      expect(diffTrees(left, right).entries).toEqual([
        { path: '$', recorded: JSON.stringify(left), live: JSON.stringify(right) },
      ]);
  });

  it('is that of the texts where only how they are written differs, and tells long numbers apart', () => {
    expect(diffTrees('{"a":1,"b":2}', '{"b":2, "a":1}').entries).toMatchObject([{ path: '$' }]);
    expect(diffTrees('{"id":9007199254740993}', '{"id":9007199254740992}').entries).toEqual([
      { path: '$ › $.id', recorded: '9007199254740993n', live: '9007199254740992' },
    ]);
    expect(diffTrees('{"sum":-0}', '{"sum":0}').entries).toEqual([{ path: '$ › $.sum', recorded: '-0', live: '0' }]);
  });

  it('is one place behind those that are listed, whatever it holds', () => {
    const texts = (by: number) =>
      Array.from({ length: 3 }, () =>
        JSON.stringify(Array.from({ length: DIFF_ENTRIES_MAX }, (_, index) => index + by)),
      );
    const difference = diffTrees(texts(0), texts(1));
    expect(difference.entries).toHaveLength(DIFF_ENTRIES_MAX);
    expect(difference.total).toBe(DIFF_ENTRIES_MAX + 2);
  });

  it('survives JSON of any depth, and does not read longer texts than it may', () => {
    const deep = (depth: number, inner: string) => '['.repeat(depth) + inner + ']'.repeat(depth);
    for (const depth of [JSON_IN_TEXT_DEPTH_MAX + 1, 100_000])
      expect(diffTrees(deep(depth, '1'), deep(depth, '2')).entries).toMatchObject([{ path: '$' }]);
    expect(diffTrees(deep(50, '1'), deep(50, '2')).entries).toMatchObject([{ recorded: '1', live: '2' }]);
    const long = 'a'.repeat(JSON_IN_TEXT_CHARACTERS_MAX);
    expect(diffTrees(JSON.stringify([long, 1]), JSON.stringify([long, 2])).entries).toMatchObject([{ path: '$' }]);
  });

  it('is none exactly when the texts are equal', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), fc.json({ maxDepth: 3 }), (left, right) => {
        expect(diffTrees(left, left).total).toBe(0);
        expect(diffTrees(left, right).total === 0).toBe(left === right);
      }),
    );
  });
});
