import { expect, it } from 'vitest';
import { readSought } from '../store/search/folded-words.ts';
import { snippetOf } from './snippet.ts';
import { beginningOf } from './summaries/beginning-of.ts';

it.each([0, 1])('no answer has half a character, wherever it is cut: %i', (shift) => {
  const smiles = `${'a'.repeat(shift)}${'😀'.repeat(500)}`;
  const pieces = snippetOf(`${smiles} needle ${smiles}`, readSought('needle')) ?? [];
  expect(pieces.map(({ isMatch }) => isMatch)).toContain(true);
  expect([...pieces.map(({ text }) => text), beginningOf(smiles)].filter((text) => !text.isWellFormed())).toEqual([]);
});
