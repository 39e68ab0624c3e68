import { expect, it } from 'vitest';
import { askedSince } from './asked-since.ts';
import type { Message } from './message.ts';

const said = (text: string): Message => ({ role: 'user', parts: [{ type: 'text', text }] });
const [system, one, two, three, sum] = ['system', 'one', 'two', 'three', 'sum'].map(said) as [
  Message,
  Message,
  Message,
  Message,
  Message,
];

it('tells what was added at the end of a conversation', () => {
  expect(askedSince([system, one], [system, one, two, three])).toEqual({
    same: 2,
    added: [two, three],
    removed: [],
    changed: [],
  });
});

it('tells what was summed up in the middle of one', () => {
  expect(askedSince([system, one, two, three], [system, sum, three])).toEqual({
    same: 2,
    added: [sum],
    removed: [one, two],
    changed: [],
  });
});

it('counts no message twice where one is said again', () => {
  expect(askedSince([one], [one, one])).toEqual({ same: 1, added: [one], removed: [], changed: [] });
  expect(askedSince([one, one], [one])).toEqual({ same: 1, added: [], removed: [one], changed: [] });
  expect(askedSince([], [])).toEqual({ same: 0, added: [], removed: [], changed: [] });
});

it('tells what is asked in other words, also where more was said behind it', () => {
  const at = (time: string) => said(`You trade for account A-4711. It is ${time}.`);
  const since = askedSince([at('10:00'), one, two], [at('10:05'), one, two, three]);
  expect(since).toMatchObject({ same: 2, added: [three], removed: [] });
  expect(since.changed).toEqual([
    {
      role: 'user',
      changes: [
        { text: 'You trade for account A-4711. It is 10:', side: 'both' },
        { text: '00', side: 'before' },
        { text: '05', side: 'after' },
        { text: '.', side: 'both' },
      ],
    },
  ]);
});

it('takes texts of different roles, and what is no text, for two messages', () => {
  const image: Message = { role: 'user', parts: [{ type: 'other', json: '{"a":1}' }] };
  expect(askedSince([image], [one])).toEqual({ same: 0, added: [one], removed: [image], changed: [] });
  const system: Message = { ...one, role: 'system' };
  expect(askedSince([system], [one])).toMatchObject({ added: [one], removed: [system] });
});
