import type { PatternRule } from './redaction-rule.ts';

/** A letter or digit of a key. */
export const word = '[A-Za-z0-9]';
/** What a key in base64 of addresses has. */
export const wordDash = '[A-Za-z0-9_-]';
/** A digit of a key in lower-case hexadecimal digits. */
export const hex = '[0-9a-f]';

/** A key with a prefix of its own, followed by as many characters of a class as its form has at least. */
export function prefixed(id: string, owner: string, prefixes: readonly string[], tail: string): PatternRule {
  const alternatives = prefixes.map((prefix) => prefix.replaceAll('.', '\\.')).join('|');
  return {
    id,
    why: `It has the form of a ${owner}.`,
    pattern: `(?:${alternatives})${tail}`,
    startsWord: true,
    needs: prefixes,
    hint: alternatives,
    hintStarts: prefixes,
  };
}

/** A key whose prefix other words begin with, too: all of its form is looked for first, and it ends where the form does. */
export function shaped(id: string, owner: string, prefix: string, tail: string): PatternRule {
  const pattern = prefix.replaceAll('.', '\\.') + tail;
  return {
    id,
    why: `It has the form of a ${owner}.`,
    pattern: `(?<![_-])${pattern}(?![A-Za-z0-9_/+=-])`,
    startsWord: true,
    needs: [prefix],
    hint: pattern,
    hintStarts: [prefix],
  };
}
