import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GrowingLists } from './growing-lists.ts';

const same = (value: unknown): unknown => value;

function plainly(text: string): unknown {
  try {
    const tree: unknown = JSON.parse(text);
    return Array.isArray(tree) ? tree : undefined;
  } catch {
    return undefined;
  }
}

test('what a list has in common with the one before is the same objects', () => {
  const lists = new GrowingLists(same);
  const first = lists.read('[{"content":"a"},{"content":"b"}]');
  const second = lists.read('[{"content":"a"},{"content":"b"} , {"content":"c"}]');
  const third = lists.read('[{"content":"a"},{"content":"b"},{"content":"c"}]');
  expect(second).toEqual([{ content: 'a' }, { content: 'b' }, { content: 'c' }]);
  expect(third).toEqual(second);
  expect(third?.[0]).toBe(first?.[0]);
  expect(third?.[1]).toBe(first?.[1]);
});

test('lists of several agents that take turns go on, each where it ended', () => {
  const lists = new GrowingLists(same);
  const [one, other] = [lists.read('[{"content":"one"}]'), lists.read('[{"content":"other"}]')];
  expect(lists.read('[{"content":"one"},1]')?.[0]).toBe(one?.[0]);
  expect(lists.read('[{"content":"other"},2]')?.[0]).toBe(other?.[0]);
  expect(lists.read('[{"content":"one"},1,3]')).toEqual([{ content: 'one' }, 1, 3]);
});

test('a list too long to be remembered is read all the same', () => {
  const lists = new GrowingLists(same);
  const long = 'x'.repeat(1024 * 1024);
  expect(lists.read(JSON.stringify([long]))).toEqual([long]);
  expect(lists.read(JSON.stringify([long, 1]))).toEqual([long, 1]);
});

test('whatever comes one after the other is read as JSON.parse reads it', () => {
  const pieces = fc.constantFrom(
    '[',
    ']',
    ',',
    '1',
    '-',
    '0',
    '.5',
    'e3',
    '"',
    '\\',
    ' ',
    '{"a":1}',
    '[2]',
    '"b"',
    'null',
    '\n',
  );
  const texts = fc.array(pieces, { maxLength: 9 }).map((parts) => `[${parts.join('')}`);
  const lists = new GrowingLists(same);
  fc.assert(
    fc.property(texts, fc.array(pieces, { maxLength: 5 }), (text, more) => {
      const grown = text.slice(0, -1) + more.join('');
      for (const each of [text, grown, `${text.slice(0, -1)},${more.join('')}]`, `${text.slice(0, -1)},]`]) {
        expect(lists.read(each)).toEqual(plainly(each));
      }
    }),
    { numRuns: 2_000 },
  );
});

test('a list goes on as JSON does, whatever is in it', () => {
  const lists = new GrowingLists(same);
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { minLength: 1 }), fc.array(fc.jsonValue()), (members, more) => {
      for (const each of [members, [...members, ...more], members]) {
        const text = JSON.stringify(each);
        expect(lists.read(text)).toEqual(JSON.parse(text));
      }
    }),
  );
});
