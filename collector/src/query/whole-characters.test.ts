import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shortReason } from '../forward/short-reason.ts';
import { readSought } from '../store/search/sought-phrases.ts';
import { snippetOf } from './snippet.ts';
import { beginningOf } from './summaries/beginning-of.ts';
import { copiedStart } from './summaries/copied-start.ts';

it.each([0, 1])('no answer has half a character, wherever it is cut: %i', (shift) => {
  const smiles = `${'a'.repeat(shift)}${'😀'.repeat(500)}`;
  const pieces = snippetOf(`${smiles} needle ${smiles}`, readSought('needle')) ?? [];
  expect(pieces.map(({ isMatch }) => isMatch)).toContain(true);
  expect([...pieces.map(({ text }) => text), beginningOf(smiles)].filter((text) => !text.isWellFormed())).toEqual([]);
});

it('what is kept or told of a text has no half characters, wherever it is cut', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '😀', ' '), maxLength: 400, size: 'max' });
  fc.assert(
    fc.property(text, fc.nat(500), (whole, characters) => {
      const start = copiedStart(whole, characters);
      expect(whole.startsWith(start) && start.length >= Math.min(whole.length, characters) - 1).toBe(true);
      expect([start, shortReason(whole)].filter((cut) => !cut.isWellFormed())).toEqual([]);
    }),
  );
});
