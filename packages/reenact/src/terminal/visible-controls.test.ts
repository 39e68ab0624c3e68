import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visibleControls } from './visible-controls.ts';

const escapeCode = '\u001b';

describe('text on a terminal', () => {
  it('cannot move the cursor, set a title, ring or hide what stands there', () => {
    const hostile = [
      `${escapeCode}[2J`,
      `${escapeCode}]0;owned\u0007`,
      'a\rb',
      'a\bb',
      '\u009b31m',
      `${escapeCode}c`,
      'user\u202etxt.exe',
    ];
    for (const text of hostile) {
      for (const hasColour of [true, false]) {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be gone.
        expect(visibleControls(text, hasColour)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
      }
    }
    expect(visibleControls(`${escapeCode}[2Jx`, true)).toBe('\\u001b[2Jx');
  });

  it('keeps its colours where there are any, and lines, tabs and every other letter', () => {
    expect(visibleControls(`${escapeCode}[1;31mred${escapeCode}[0m\n\tö 🙂`, true)).toBe(
      `${escapeCode}[1;31mred${escapeCode}[0m\n\tö 🙂`,
    );
    expect(visibleControls(`${escapeCode}[31mred`, false)).toBe('\\u001b[31mred');
  });

  it('is the same JSON as before', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, text) => {
        const given = { value, text: `${text}\u009b\u202e` };
        expect(JSON.parse(visibleControls(JSON.stringify(given), false))).toEqual(JSON.parse(JSON.stringify(given)));
      }),
    );
  });
});
