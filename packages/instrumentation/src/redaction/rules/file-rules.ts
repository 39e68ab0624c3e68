import type { FoundPlace, PatternRule } from './redaction-rule.ts';

/** Spaces and ends of lines, also where JSON escapes these. */
const space = '(?:\\s|\\\\{1,7}[nrt]){1,10}';
const lineEnd = '(?:\\r?\\n|(?:\\\\{1,7}r)?\\\\{1,7}n)';
const value = `[^\\s"'\\\\]`;

/** What a template has in the place of a password. */
const filledIn = /^(?:[$<{%]|\*+$)/;
const keyLine = new RegExp(`(?:^|${lineEnd})([A-Za-z0-9+/=]{1,128})`, 'g');

/** Each line is a secret by itself: the key is the same, however the ends of its lines are written. */
function keyLines({ text, start, end }: FoundPlace): FoundPlace[] {
  return Array.from(text.slice(start, end).matchAll(keyLine), ({ index, 0: whole, 1: line = '' }) => {
    const lineEnds = start + index + whole.length;
    return { text, start: lineEnds - line.length, end: lineEnds };
  });
}

/** Secrets that programs keep in files of a form of their own, where no name and sign stands before them. */
export const FILE_RULES: readonly PatternRule[] = [
  {
    id: 'netrc-password',
    why: 'It stands where a .netrc has the password of a machine.',
    after: `\\b(?:machine${space}${value}{1,253}|default)${space}login${space}${value}{1,128}${space}(?:account${space}${value}{1,128}${space})?password${space}`,
    pattern: `${value}{1,256}`,
    accepts: (found) => !filledIn.test(found),
    needs: ['login'],
    hint: `login${space}${value}{1,128}${space}(?:account${space}${value}{1,128}${space})?password`,
    isInProse: true,
    hintNeeds: ['login', 'password'],
  },
  {
    id: 'pgpass-password',
    why: 'It stands where a .pgpass has the password of a user.',
    after: '(?<![\\w./:@-])[\\w.-]{1,253}:5432:(?:[\\w-]{1,63}|\\*):[\\w.-]{1,63}:',
    pattern: `[^\\s"'\\\\:]{3,256}(?=[\\s"'\\\\]|$)`,
    accepts: (found) => !filledIn.test(found),
    needs: [':5432:'],
    hint: ':5432:(?:[\\w-]{1,63}|\\*):[\\w.-]{1,63}:',
    isInProse: true,
    hintNeeds: ['5432:'],
  },
  {
    id: 'private-key',
    why: 'It is a private key as PuTTY keeps one.',
    after: `Private-Lines: \\d{1,4}${lineEnd}`,
    pattern: `[A-Za-z0-9+/=]{16,128}(?:${lineEnd}(?!Private-)[A-Za-z0-9+/=]{1,128}){0,500}`,
    places: keyLines,
    needs: ['Private-Lines: '],
    hint: 'Private-Lines: \\d',
    isInProse: true,
    hintNeeds: ['Lines: '],
  },
];
