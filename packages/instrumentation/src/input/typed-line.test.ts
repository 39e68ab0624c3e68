import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { typedLine } from './typed-line.ts';

/** The line that the platform makes of the same keys. */
function lineOfReadline(keys: string): Promise<string> {
  const input = new PassThrough();
  const lines = createInterface({ input, output: new PassThrough(), terminal: true });
  return new Promise((resolve) => {
    lines.once('line', (line) => {
      resolve(line);
      lines.close();
    });
    input.write(`${keys}\r`);
  });
}

const left = '\u001b[D';
const right = '\u001b[C';

describe('a line that was typed', () => {
  it.each([
    ['as it is', 'hunter-22'],
    ['with a character erased', 'hunterr\u007f-22'],
    ['with more erased than there is', 'h\u007f\b\u007fhunter-22'],
    ['begun again', 'wrong\u0015hunter-22'],
    ['with a word erased', 'hunter 23\u0017-22'],
    ['with a word and its space erased', 'hunter 23 \u0017-22'],
    ['with the end of it cut', `hunter-22xx${left}${left}\u000b`],
    ['mended in the middle', `hnter-22${left.repeat(7)}u${right.repeat(9)}!`],
    ['mended at both ends', 'unter-2\u001b[Hh\u001b[F2\u0001\u0005'],
    ['with a character erased before it', `hunter-222${left}\u001b[3~`],
    ['by other keys for the same', 'hunter-222\u0002\u001b[3~\u0006'],
    ['with signs of two units', 'h\u{1F600}\u{1F600}\u007fx'],
  ])('is that which the program has, %s', async (_, keys) => {
    expect(typedLine(keys)).toBe(await lineOfReadline(keys));
  });
});
