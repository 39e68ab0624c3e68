import type { PatternRule } from './redaction-rule.ts';
import { isUnquotedSecret } from './unquoted-value.ts';

/** What a shell fills in itself, what a manual has in the place of a password, the ports of Docker, and what is behind a text that ends with the option. */
const filledIn = /^(?:[$`%<({[\])}>,:]|\*+$|\.{2,}|\d+:\d)/;

const secretOptions = 'password|passwd|passphrase|secret|token|api-?key|(?:access|secret|private)-key';

/** One look for all options: prose has more hyphens within words than before them. */
const optionHint = {
  hint: `(?:\\s|\\\\[nrt])-(?:[A-Za-z]{0,8}[uUpa]|-[a-z-]{0,40}(?:${secretOptions}|user))`,
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

/** Passwords on command lines behind options that no name tells. */
export const COMMAND_RULES: readonly PatternRule[] = [
  passwordOption('curl', '', `(?:-[A-Za-z]{0,8}[uU] ?|--(?:proxy-)?user[ =])${userAndColon}`),
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
