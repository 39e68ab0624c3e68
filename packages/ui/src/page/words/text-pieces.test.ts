import { expect, it } from 'vitest';
import { textPieces } from './text-pieces.ts';

it.each([
  ['nothing', '', 0],
  ['a short text', 'short', 1],
  ['one line', 'x'.repeat(50_000), 3],
  ['lines', 'a line\n'.repeat(10_000), 4],
  ['characters of two units, one of them across the cut', `x${'😀'.repeat(30_000)}`, 4],
])('are the text together, each ends behind a line or a character: %s', (_, text, count) => {
  const pieces = textPieces(text);
  expect(pieces.join('')).toBe(text);
  expect(pieces).toHaveLength(count);
  for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(20_000);
  for (const piece of pieces) expect(piece.isWellFormed()).toBe(true);
  if (text.includes('\n')) for (const piece of pieces) expect(piece.endsWith('\n')).toBe(true);
});
