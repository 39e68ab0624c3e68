import { encodeValue } from '@reenact/trace-model';
import { expect, it } from 'vitest';
import { HELD_BACK_CHARACTERS_MAX, HELD_BACK_PIECES_MAX } from '../../limits.ts';
import { heldBack } from './held-back.ts';

function held(...values: readonly unknown[]): number {
  return heldBack(values.map((value) => ({ value: encodeValue(value) })));
}

it('is the word that may go on', () => {
  expect(held('use ', 'postgres://', 'admin:S3cret')).toBe(2);
  expect(held('all of it ', 'is said ')).toBe(0);
  expect(held('said', ' one', 'two th')).toBe(1);
  expect(held({ delta: { text: 'AKIA' } }, { delta: { text: 'IOSF' } })).toBe(2);
});

it('is nothing of values without a text', () => {
  expect(held(1, { row: 2 }, null)).toBe(0);
  expect(held('a b', 3)).toBe(2);
});

it('is bounded', () => {
  expect(held(...Array.from({ length: HELD_BACK_PIECES_MAX + 5 }, () => 'x'))).toBe(HELD_BACK_PIECES_MAX);
  expect(held('x', 'y'.repeat(HELD_BACK_CHARACTERS_MAX))).toBe(1);
});
