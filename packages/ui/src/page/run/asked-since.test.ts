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
  expect(askedSince([system, one], [system, one, two, three])).toEqual({ same: 2, added: [two, three], removed: [] });
});

it('tells what was summed up in the middle of one', () => {
  expect(askedSince([system, one, two, three], [system, sum, three])).toEqual({
    same: 2,
    added: [sum],
    removed: [one, two],
  });
});

it('counts no message twice where one is said again', () => {
  expect(askedSince([one], [one, one])).toEqual({ same: 1, added: [one], removed: [] });
  expect(askedSince([one, one], [one])).toEqual({ same: 1, added: [], removed: [one] });
  expect(askedSince([], [])).toEqual({ same: 0, added: [], removed: [] });
});
