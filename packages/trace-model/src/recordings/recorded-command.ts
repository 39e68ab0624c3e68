import { basename, isAbsolute, relative } from 'node:path';
import { ATTR_PROCESS_COMMAND_ARGS, ATTR_PROCESS_WORKING_DIRECTORY } from '@reenact/semconv/core';
import type { Recording } from './recording.ts';

/** Flags of Node.js that take their value as the next word. */
const MODULE_FLAGS: ReadonlySet<string> = new Set(['--import', '--require', '-r', '--loader', '--experimental-loader']);

/** With these, a replay has to load its hook so, too, and tells by its command. */
const REQUIRE_FLAGS: ReadonlySet<string> = new Set(['--require', '-r']);

/** What Jest wants of Node.js with the hook, and has from `NODE_OPTIONS` where it is recorded: without it, a replay calls nothing. */
const JEST_FLAG = '--experimental-vm-modules';

/** Jest itself, which runs few files or short ones without a worker. */
const JEST = /[/\\](?:\.bin[/\\]jest|jest[/\\]bin[/\\]jest(?:\.js)?)$/;

/** Processes that a test runner gives files to, and how one of those files is run in one process. */
const TEST_WORKERS: readonly (readonly [RegExp, string])[] = [
  [
    /[/\\]jest-worker[/\\]build[/\\]processChild\.js$/,
    `node ${JEST_FLAG} node_modules/jest/bin/jest.js --runInBand <its test file>`,
  ],
  [/[/\\]vitest[/\\]dist[/\\]workers[/\\](?:forks|vmForks)\.js$/, 'npx vitest run --pool=forks <its test file>'],
];

/** The hook of Reenact by its name or its path. */
function isHook(word: string): boolean {
  return /(^|[\\/=])reenact[\\/](dist[\\/])?register(\.js)?$/.test(word);
}

/** A replay brings its own hook, by `--import`. By `--require` it does only where its command does, as compilers such as `ts-node` want. */
function withoutImportedHook(words: readonly string[]): string[] {
  return words.filter((word, index) => {
    const flag = isHook(word) ? (words[index - 1] ?? '') : word;
    if (REQUIRE_FLAGS.has(flag) || /^(?:-r|--require)=/.test(word)) return true;
    const isFlagOfHook = MODULE_FLAGS.has(word) && isHook(words[index + 1] ?? '');
    return !isFlagOfHook && !isHook(word);
  });
}

/** A word as a shell takes it for one. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** As it is typed in that folder: what lies below it by a relative path. */
function typedIn(folder: string): (word: string) => string {
  return (word) => {
    if (folder === '' || !isAbsolute(word)) return word;
    const path = relative(folder, word);
    return path === '' || path.startsWith('..') || isAbsolute(path) ? word : path;
  };
}

/**
 * The command that the process of a recording was started with, ready for a shell in the folder that it was started in:
 * `node src/app.ts --verbose`. Undefined where the recording does not say it, or says no program.
 */
export function recordedCommand({ resource }: Pick<Recording, 'resource'>): string | undefined {
  const words = resource.get(ATTR_PROCESS_COMMAND_ARGS);
  if (!Array.isArray(words) || !words.every((word) => typeof word === 'string')) return undefined;
  const [program, ...others] = words;
  const rest = withoutImportedHook(others);
  if (program === undefined || rest.length === 0) return undefined;
  const runner = TEST_WORKERS.find(([worker]) => rest.some((word) => worker.test(word)));
  if (runner !== undefined) return runner[1];
  const name = /^node(js)?(\.exe)?$/i.test(basename(program)) ? 'node' : program;
  const folder = resource.get(ATTR_PROCESS_WORKING_DIRECTORY);
  if (rest.some((word) => JEST.test(word)) && !rest.includes(JEST_FLAG)) rest.unshift(JEST_FLAG);
  return [name, ...rest.map(typedIn(typeof folder === 'string' ? folder : ''))].map(shellWord).join(' ');
}
