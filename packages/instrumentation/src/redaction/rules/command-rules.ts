import { isHarmlessValue } from '../text/secret-names.ts';
import type { FoundPlace, PatternRule } from './redaction-rule.ts';
import { isUnquotedSecret } from './unquoted-value.ts';

/** What a shell fills in itself, what a manual has in the place of a password, the ports of Docker, and what is behind a text that ends with the option. */
const filledIn = /^(?:[$`%<({[\])}>,:]|\*+$|\.{2,}|\d+:\d)/;

const secretOptions = 'password|passwd|passphrase|secret|token|api-?key|(?:access|secret|private)-key';

/** One look for all options: prose has more hyphens within words than before them. */
const optionHint = {
  hint: `(?:\\s|\\\\[nrt])-(?:[A-Za-z]{0,8}[uUpab]|-[a-z-]{0,40}(?:${secretOptions}|user|cookie))`,
  isInProse: true,
  hintCharacter: { character: '-', charactersBefore: [1, 2] },
} as const;

/** Options of a program up to its password: whatever is before them stays in the same command. */
function passwordOption(name: string, ending: string, option: string): PatternRule {
  return {
    id: 'command-password',
    why: `It stands where ${name} takes a password.`,
    after: `\\b${name}${ending}\\b(?:(?!${name})(?:[^\\n;|&]|&(?!&)|\\\\\\r?\\n)){0,400}?\\s${option}`,
    pattern: `[^\\s"'\\\\;|&]{3,256}`,
    accepts: (found) => !filledIn.test(found),
    needs: [name],
    ...optionHint,
  };
}

const userAndColon = `["']?[^\\s:"'\\\\$]{1,128}:`;

const cookieOption = '(?:-[A-Za-z]{0,8}b ?|--cookie[ =])\\\\{0,7}["\']?';
const cookieValue = /(?:^|;\s{0,4})[^\s;="'\\]{1,128}=([^\s&;,"'<>\\()[\]{}|]{3,4096})/g;

/** The values of the cookies that curl is given, not their names. Without quotes they end with the word. */
function cookieValues({ text, start, end }: FoundPlace): FoundPlace[] {
  const given = text.slice(start, end);
  const cookies = /["']/.test(text[start - 1] ?? '') ? given : (/^\S*/.exec(given)?.[0] ?? '');
  return Array.from(cookies.matchAll(cookieValue), ({ index, 0: whole, 1: value = '' }) => {
    const valueEnd = start + index + whole.length;
    return { text, start: valueEnd - value.length, end: valueEnd };
  }).filter((place) => {
    const value = text.slice(place.start, place.end);
    return !filledIn.test(value) && !isHarmlessValue(value);
  });
}

/** Passwords on command lines behind options that no name tells. */
export const COMMAND_RULES: readonly PatternRule[] = [
  passwordOption('curl', '', `(?:-[A-Za-z]{0,8}[uU] ?|--(?:proxy-)?user[ =])${userAndColon}`),
  {
    ...passwordOption('curl', '', cookieOption),
    why: 'It stands where curl takes the value of a cookie.',
    pattern: `[^\\s"'\\\\;|&=]{1,128}=[^"'\\\\\\n]{3,4096}`,
    accepts: () => true,
    places: cookieValues,
  },
  passwordOption('mysql', '\\w{0,12}', `-p["']?`),
  passwordOption('mariadb', '(?:-\\w{1,12})?', `-p["']?`),
  passwordOption('sshpass', '', `-p ?["']?`),
  passwordOption('redis-cli', '', `-a ["']?`),
  passwordOption('docker login', '', `-p ["']?`),
  {
    id: 'command-password',
    why: 'It stands where an option takes a secret.',
    after: `\\s--(?!(?:max|min|num|stop|pad|eos|bos|end|cache|next|page)-token)[a-z-]{0,40}(?:${secretOptions}) ["']?`,
    pattern: `[^\\s"'\\\\;|&]{4,512}`,
    accepts: (found) => isUnquotedSecret('password', found),
    needs: ['--'],
    ...optionHint,
  },
];
