import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { linesOfFile } from './lines-of-file.ts';

const PIECE_BYTES = 4 * 1024 * 1024;

it.each([
  ['nothing', ''],
  ['one line without an end', 'one'],
  ['empty lines, and ends of two characters', '\n\none\r\n\ntwo\n'],
  ['a character that lies in two pieces', `${'x'.repeat(PIECE_BYTES - 1)}é and on\nnext`],
  ['a line end where a piece ends', `${'x'.repeat(PIECE_BYTES - 1)}\nnext\n`],
  ['a line of several pieces', `a\n${'€'.repeat(PIECE_BYTES)}\nb`],
])('gives the lines of a file with %s as a split of its text does', (_, text) => {
  const folder = mkdtempSync(join(tmpdir(), 'reenact-lines-'));
  const path = join(folder, 'file');
  writeFileSync(path, text);
  const split = text.split('\n');
  if (split.at(-1) === '') split.pop();
  expect([...linesOfFile(path)].join('|') === split.join('|')).toBe(true);
  rmSync(folder, { recursive: true });
});
