import { describe, expect, it } from 'vitest';
import { codeFiles, paths, type SourceFile, shippedFiles } from './source-tree.ts';

const bannedNames = ['utils', 'util', 'helpers', 'helper', 'common', 'misc', 'lib', 'shared', 'stuff'];

function offenders(files: readonly SourceFile[], pattern: RegExp): string[] {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : [])),
  );
}

function outside(...prefixes: string[]): SourceFile[] {
  return codeFiles.filter(({ path }) => !prefixes.some((prefix) => path.startsWith(prefix)));
}

const MAY_END_THE_PROCESS = [
  'packages/reenact/src/recording/deliver-spool.ts',
  'packages/reenact/src/doctor/witness-hook.ts',
  'packages/reenact/src/commands/until-stopped.ts',
  'packages/reenact/src/main.ts',
  'packages/reenact/src/register.ts',
  'packages/reenact/src/register-process.ts',
  'packages/reenact/src/register-thread.ts',
  'packages/reenact/src/recording/post-spans.ts',
  'packages/reenact/src/replaying/run-entry.ts',
];

describe('words', () => {
  it('no folder or file is named for nothing', () => {
    const named = paths.filter((path) =>
      path.split('/').some((part) => bannedNames.includes(part.replace(/\..*$/, ''))),
    );
    expect(named.join('\n')).toBe('');
  });

  it('no gen_ai key is spelled outside semconv: import the generated constant', () => {
    // Split so that this file does not trip over itself.
    const pattern = new RegExp(`['"\`]gen_${'ai'}\\.`);
    expect(offenders(outside('semconv/'), pattern).join('\n')).toBe('');
  });

  it('no module re-exports everything of another', () => {
    expect(offenders(codeFiles, /^\s*export \*/).join('\n')).toBe('');
  });

  it('an index.ts holds only re-exports', () => {
    const indexes = shippedFiles.filter(({ path }) => path.endsWith('/index.ts'));
    expect(indexes.length).toBeGreaterThan(5);
    expect(offenders(indexes, /^(const|let|var|function|class|import|if|for)\b/).join('\n')).toBe('');
  });

  it('shipped code throws ReenactError with a code, never a bare Error', () => {
    expect(offenders(shippedFiles, /throw new (Error|TypeError|RangeError)\(/).join('\n')).toBe('');
  });

  it('only the entry points end the process, and a second signal', () => {
    const files = shippedFiles.filter(({ path }) => !MAY_END_THE_PROCESS.includes(path));
    expect(offenders(files, /process\.(exit\(|exitCode\s*=)/).join('\n')).toBe('');
  });

  it('nothing unfinished is left behind', () => {
    const pattern = new RegExp(
      `\\b(${['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX'].join('|')})\\b|\\b(it|test|describe)\\.(skip|only|todo)\\(|@ts-${'ignore'}`,
    );
    expect(offenders(codeFiles, pattern).join('\n')).toBe('');
  });

  it('a test that waits for something says for how long: the one second of Vitest is over before that on a busy machine', () => {
    const call = /\bvi\.wait(For|Until)\(/;
    const waits = codeFiles.flatMap(({ path, text }) =>
      text.split(call).flatMap((rest, index) => (index > 0 && index % 2 === 0 ? [{ path, rest }] : [])),
    );
    expect(waits.length).toBeGreaterThan(5);
    const silent = waits.filter(({ rest }) => !rest.slice(0, rest.indexOf(');\n')).includes('timeout:'));
    expect(silent.map(({ path, rest }) => `${path}: ${rest.slice(0, 60)}`).join('\n')).toBe('');
  });

  it('types stay honest: no any', () => {
    expect(offenders(codeFiles, /(:|<|as|\|)\s*any\b(?!\w)(?!.*expect)/).join('\n')).toBe('');
  });

  it('no SQL numbers its parameters: the oldest supported Node.js takes those for named ones', () => {
    expect(
      offenders(outside('test/'), /\?\d+\b.*(?:WHERE|LIMIT|AND|THEN|,)|(?:WHERE|SET|AND|LIMIT) .*\?\d+\b/).join('\n'),
    ).toBe('');
  });
});
