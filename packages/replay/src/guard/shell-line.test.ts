import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { isPlainShell, simpleCommand, withoutSettings } from './shell-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'reenact-shell-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The words that a real shell makes of the text behind a command. */
function wordsOfShell(text: string): string[] {
  const printed = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${text}`], { cwd: folder, encoding: 'utf8' });
  return printed.split('\0').slice(0, -1);
}

const piece = fc.oneof(
  fc.constantFrom(
    ' ',
    '\t',
    '\n',
    '"',
    "'",
    '$',
    '`',
    '\\',
    '|',
    '&',
    ';',
    '<',
    '>',
    '(',
    ')',
    '*',
    '?',
    '[',
    '~',
    '#',
    '!',
  ),
  fc.constantFrom(
    'node',
    'agent.ts',
    'ACME',
    '--flag=1',
    'a=b',
    '$(touch made)',
    '>made',
    '{a,b}',
    '"two words"',
    "'it is'",
  ),
);

describe('a line of a shell', () => {
  it.each([
    ['node agent.ts ACME', ['node', 'agent.ts', 'ACME']],
    ['  /usr/bin/node   --import=./hook.ts  agent.ts ', ['/usr/bin/node', '--import=./hook.ts', 'agent.ts']],
    [
      `"/opt/no de/node" agent.ts 'two words' --name="Ada L."`,
      ['/opt/no de/node', 'agent.ts', 'two words', '--name=Ada L.'],
    ],
  ])('is one simple command: %s', (line, words) => {
    expect(simpleCommand(line)).toEqual(words);
  });

  it.each([
    'node agent.ts && rm -r kept',
    'node agent.ts; rm -r kept',
    'node agent.ts | tee kept',
    'node agent.ts > kept',
    'node agent.ts &',
    'node $(rm -r kept)',
    'node `rm -r kept`',
    'node "$(rm -r kept)"',
    'node $SCRIPT',
    'node *.ts',
    'node ~/agent.ts',
    'node {a,b}.ts',
    'node agent.ts # why',
    'node agent.ts\nrm -r kept',
    'PATH=. node agent.ts',
    '(node agent.ts)',
    'node "agent.ts',
    "node 'agent.ts",
    'node agent\\.ts',
    '',
    '   ',
  ])('is not, as far as can be told: %j', (line) => {
    expect(simpleCommand(line)).toBeUndefined();
  });

  it('is taken apart as a real shell does it, and does nothing else there', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const words = simpleCommand(`node ${pieces.join('')}`);
        fc.pre(words !== undefined);
        const [first = '', ...rest] = words ?? [];
        expect(wordsOfShell(`node${pieces.join('') === '' ? '' : ' '}${pieces.join('')}`)).toEqual([first, ...rest]);
        expect(readdirSync(folder)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a shell', () => {
  it('is plain where it is the standard one, and its environment holds no functions', () => {
    expect([true, '/bin/sh'].map((shell) => isPlainShell(shell, { PATH: '' }))).toEqual([true, true]);
    expect(['/bin/zsh', 'sh', './sh', 'cmd.exe', 1].map((shell) => isPlainShell(shell, {}))).not.toContain(true);
    expect(isPlainShell(true, { 'BASH_FUNC_node%%': '() { rm -r kept; }' })).toBe(false);
  });

  it('is plain where it is the bash of the system, and no file is named that it is to read first', () => {
    expect(['/bin/bash', '/usr/bin/bash'].map((shell) => isPlainShell(shell, {}))).toEqual([true, true]);
    expect(isPlainShell('/bin/bash', { BASH_ENV: './before.sh' })).toBe(false);
  });

  it('has settings in front of a line that change nothing about one command', () => {
    const line = 'set -euo pipefail;node agent.ts ACME';
    expect(simpleCommand(withoutSettings(line))).toEqual(['node', 'agent.ts', 'ACME']);
    expect(simpleCommand(withoutSettings(`${line} | tee kept`))).toBeUndefined();
    expect(simpleCommand(withoutSettings('set -x; node agent.ts'))).toBeUndefined();
  });
});
