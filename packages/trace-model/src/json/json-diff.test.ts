import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DIFF_ENTRIES_MAX, DIFF_VALUE_CHARACTERS_MAX } from '../limits.ts';
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
