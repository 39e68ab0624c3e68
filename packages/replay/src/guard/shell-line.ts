/** Words of a shell that stand for themselves: nothing in them is expanded, and none ends a command. */
const plainWord = /^(?:[\w./:@%+,=-]+|'[^'\n]*'|"[^"$`\\!\n]*")+/;

function unquoted(word: string): string {
  return word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? '');
}

/**
 * The words of a shell line that is exactly one simple command: a program and plain words, so that whatever else a shell can do,
 * this line does nothing but start the program. Undefined for every other line.
 */
export function simpleCommand(line: string): readonly string[] | undefined {
  const words: string[] = [];
  let rest = line.trim();
  while (rest !== '') {
    const [word] = plainWord.exec(rest) ?? [];
    if (word === undefined) return undefined;
    rest = rest.slice(word.length);
    if (rest !== '' && !/^[ \t]/.test(rest)) return undefined;
    rest = rest.replace(/^[ \t]+/, '');
    words.push(unquoted(word));
  }
  const [program = ''] = words;
  // A word with an equals sign in front sets a variable for the program behind it.
  return program === '' || program.includes('=') ? undefined : words;
}

/** What the package zx writes in front of each line: a simple command behind it is the same with these settings and without. */
const settings = /^set -euo pipefail;\s*/;

/** A line of a shell without settings in front that change nothing about one simple command. */
export function withoutSettings(line: string): string {
  return line.replace(settings, '');
}

/** The one that `exec` and the like use. */
export const STANDARD_SHELL = '/bin/sh';
const bashPattern = /^(?:\/usr)?\/bin\/bash$/;

/**
 * Whether a shell is one that reads no files of the user before a line of `-c`, and has no functions in its environment that stand
 * in the place of programs.
 */
export function isPlainShell(shell: unknown, environment: object): boolean {
  const isStandard = shell === true || shell === STANDARD_SHELL;
  const isBash = typeof shell === 'string' && bashPattern.test(shell) && !Object.hasOwn(environment, 'BASH_ENV');
  const hasFunctions = Object.keys(environment).some((name) => name.startsWith('BASH_FUNC_'));
  return (isStandard || isBash) && process.platform !== 'win32' && !hasFunctions;
}
