import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PLANTED_SECRETS } from '../../testing/index.ts';
import { searchedEdits } from '../places/redact-documents.ts';
import { Redactor } from '../redactor/redactor.ts';
import type { TextPart } from '../text/text-part.ts';
import { isCleanStream } from './clean-stream.ts';

const key = { bytes: Buffer.from('a test key'), id: 'test', source: 'environment' } as const;
const redactor = new Redactor({ options: {}, key: () => key });

/** Events as one text, each a part of it. */
function joined(events: readonly string[]): { readonly text: string; readonly parts: TextPart[] } {
  let text = '';
  const parts = events.map((event): TextPart => {
    const start = text.length + 1;
    text += `\n${event}`;
    return { start, end: text.length };
  });
  return { text, parts };
}

function isClean(events: readonly string[]): boolean {
  const { text, parts } = joined(events);
  return isCleanStream(redactor, text, parts, (some) => searchedEdits(redactor, text, some, false));
}

function isFound(events: readonly string[]): boolean {
  const { text, parts } = joined(events);
  const { edits, pointers } = searchedEdits(redactor, text, parts, true);
  return edits.length > 0 || pointers.length > 0;
}

/** Pieces of a text with a secret in it, cut anywhere. */
const secretPieces = fc
  .tuple(fc.constantFrom(...PLANTED_SECRETS), fc.array(fc.nat(40), { maxLength: 12 }))
  .map(([{ text }, lengths]) => {
    const pieces: string[] = [];
    let from = 0;
    for (const length of lengths) {
      pieces.push(text.slice(from, from + length));
      from += length;
    }
    return [...pieces, text.slice(from)];
  });
const prose = fc.array(
  fc.constantFrom(
    ' the',
    ' token',
    ' password',
    ': ',
    '"quoted"',
    '\\',
    ' 4111',
    '50%',
    '%20',
    '+1 ',
    ' sid',
    'e\n',
    '',
    'Cookie',
    '--api-key',
    '-SECRET-',
    '--token=',
    '{"pin":1234}',
    '["--api-key","two words"]',
    ' {"note":"{\\"argv\\":[\\"--api-key\\",\\"two words\\"]}"}',
  ),
  { maxLength: 8 },
);
const pieces = fc
  .array(fc.oneof({ weight: 3, arbitrary: prose }, secretPieces), { maxLength: 4 })
  .map((lists) => lists.flat());

type Event = (piece: string, index: number) => unknown;
const shapes = fc.constantFrom<Event>(
  (delta, sequence) => ({ type: 'delta', sequence, delta }),
  (text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  (content, index) => ({
    id: 'x',
    model: 'm-5',
    choices: [{ index: 0, delta: { content } }],
    obfuscation: `o${index}`,
  }),
  (content, index) => ({ choices: [{ index: index % 2, delta: { content } }], created: 1_763_700_000 + index }),
  (token) => ({ logprobs: [{ token, logprob: -0.5 }] }),
  (value) => ({ name: 'password', value }),
  (value) => ({ $: 'map', entries: [['note', value]] }),
  (bytes) => ({ $: 'bytes', base64: Buffer.from(bytes).toString('base64') }),
  (delta, index) => (index % 5 === 0 ? { ping: index } : [delta, delta]),
);

describe('the first look at a stream', () => {
  it('never passes by what taking every event apart would find', () => {
    let found = 0;
    fc.assert(
      fc.property(shapes, pieces, (shape, list) => {
        const events = list.map((piece, index) => JSON.stringify(shape(piece, index)));
        if (!isFound(events)) return;
        found += 1;
        expect(isClean(events)).toBe(false);
      }),
      { numRuns: 1_500 },
    );
    expect(found).toBeGreaterThan(100);
  });

  it.each([
    ['a header', ['Cookie', 'session=one']],
    ['an option', ['--token', 'open sesame']],
    ['an option with a hyphen after its name', ['-SECRET-', '-SECRET-']],
    ['an option and its value in one word', ['--password=,of two', 'b']],
  ])('never passes by %s in a list like those before', (_, pair) => {
    const lists = [['a', 'b'], ['b', 'c'], ['c', 'd'], pair, ['d', 'e']];
    const events = lists.map((list) => JSON.stringify(list));
    expect([isFound(events), isClean(events)]).toEqual([true, false]);
    expect([isFound([JSON.stringify(pair)]), isClean([JSON.stringify(pair)])]).toEqual([true, false]);
  });

  it('passes by what is like a secret in no event and in no text that runs through them', () => {
    const words = [
      ' aside',
      ' token',
      ' of',
      ' the',
      ' patch',
      ': "spin"',
      ' 42',
      ' otp',
      ' password',
      ', and',
      ' pin',
    ];
    const events = Array.from({ length: 100 }, (_, index) => {
      const delta = { content: words[index % words.length] };
      return JSON.stringify({ id: 'chatcmpl-1', choices: [{ index: 0, delta }], obfuscation: 'x'.repeat(index % 7) });
    });
    expect([isFound(events), isClean(events)]).toEqual([false, true]);
  });

  it('leaves it to taking apart where the user has rules of their own', () => {
    const rules = [{ id: 'ticket', why: 'Tickets are internal.', pattern: /TCK-\d{6}/ }];
    const own = new Redactor({ options: { rules }, key: () => key });
    const { text, parts } = joined(['{"delta":"TCK-12"}', '{"delta":"3456"}']);
    expect(isCleanStream(own, text, parts, () => ({ edits: [], pointers: [], unread: [] }))).toBe(false);
    expect(searchedEdits(own, text, parts, true).edits).toHaveLength(2);
  });
});
