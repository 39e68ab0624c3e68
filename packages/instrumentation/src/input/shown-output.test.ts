import { describe, expect, it } from 'vitest';
import { PatchSet } from '../patching/patch-set.ts';
import { ShownOutput } from './shown-output.ts';

function shownAfter(...chunks: readonly string[]): string {
  const shown = new ShownOutput();
  const stream = { write: (_chunk: unknown): boolean => true };
  shown.watch(new PatchSet(), stream);
  for (const chunk of chunks) stream.write(chunk);
  return String(shown);
}

describe('what a program has shown', () => {
  it('has no codes of the terminal', () => {
    expect(shownAfter('a\n', '\u001b[1GPassword: \u001b[11G')).toBe('a\nPassword: ');
  });

  it('ends with the line in which it is typed, and not with a hint below', () => {
    const first = '? Password:\r\nctrl+t toggle visibility\u001b[1A\u001b[14G';
    expect(shownAfter('a\n', first)).toBe('a\n? Password:\r');
    expect(shownAfter(first, '\u001b[1B\u001b[2K\u001b[1A\u001b[2K\u001b[G? Key:\r\n\n> no\u001b[2A')).toMatch(
      /\? Key:\r$/,
    );
    expect(shownAfter('one\ntwo\u001b[A\u001b[B')).toBe('one\ntwo');
    expect(shownAfter('one\ntwo\u001b[7A')).toBe('one\ntwo');
  });
});
