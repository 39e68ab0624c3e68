import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { abridgedTree } from './abridged-tree.ts';
import { isTree } from './json-tree.ts';
import { readableText } from './readable-text.ts';

const CHARACTERS = 12;

/** Values with what previews look for in them, and texts longer than what is shown. */
const value = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.oneof(
      fc.string({ maxLength: 2_000 }),
      fc.string({ unit: 'binary' }),
      fc.double(),
      fc.constant(null),
      fc.boolean(),
    ),
    fc.array(tie('node'), { maxLength: 12 }),
    fc.dictionary(
      fc.oneof(fc.string(), fc.constantFrom('messages', 'content', 'role', '$', 'value', '1')),
      tie('node'),
    ),
    fc.constantFrom({ $: 'undefined' }, { $: 'number', value: 'NaN' }, 'x'.repeat(5_000)),
  ),
})).node;

describe('abridgedTree', () => {
  it('is written as the whole tree is, as far as was asked', () => {
    fc.assert(
      fc.property(value, fc.constantFrom(0, 2), (tree, space) => {
        const text = JSON.stringify(tree, null, space);
        const shown = readableText(abridgedTree(text, CHARACTERS)).slice(0, CHARACTERS);
        expect(shown).toBe(readableText(JSON.parse(text)).slice(0, CHARACTERS));
      }),
      { numRuns: 2_000 },
    );
  });

  it('holds the last item of a long array, and what is looked for behind much else', () => {
    const long = 'y'.repeat(10_000);
    const messages = Array.from({ length: 500 }, (_, number) => ({
      id: long,
      role: 'user',
      content: `said ${number}`,
    }));
    const tree = abridgedTree(JSON.stringify({ model: 'm', other: long, messages }), CHARACTERS);
    const last = isTree(tree) && Array.isArray(tree.messages) ? tree.messages.at(-1) : undefined;
    expect(last).toMatchObject({ role: 'user', content: 'said 499' });
    const error = abridgedTree(
      JSON.stringify({ record: { stack: long, class: 'Error', message: 'gone' } }),
      CHARACTERS,
    );
    expect(error).toMatchObject({ record: { class: 'Error', message: 'gone' } });
  });

  it('holds little of what is large, and says where a text was cut', () => {
    const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, name: 'a row of a table', tags: ['a', 'b'] }));
    const kept = JSON.stringify(abridgedTree(JSON.stringify({ rows, text: 'z'.repeat(1_000_000) }), CHARACTERS));
    expect(kept.length).toBeLessThan(5_000);
    expect(abridgedTree(JSON.stringify('é\n'.repeat(10_000)), CHARACTERS)).toMatch(/^(é\n){10,}é?…$/);
    expect(abridgedTree(`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 1_000)).toHaveLength(1);
  });

  it('refuses what is not JSON', () => {
    for (const text of ['', '{"a":1', '[1,]', '"a" 1']) expect(() => abridgedTree(text, 10)).toThrow(SyntaxError);
  });
});
