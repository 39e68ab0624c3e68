import { describe, expect, it } from 'vitest';
import { buildProgram } from './program.ts';

/** What is said of a command that there is none of. */
function saidOf(...words: string[]): Promise<string> {
  return saidIn({}, ...words);
}

async function saidIn(environment: NodeJS.ProcessEnv, ...words: string[]): Promise<string> {
  const said: string[] = [];
  const keep = (text: string): void => void said.push(text);
  const terminal = { out: keep, err: keep, data: keep, colour: false, columns: 80, wraps: false };
  const program = await buildProgram({ terminal, environment, exitWith: () => undefined }, words);
  await program.parseAsync(['node', 'reenact', ...words]).catch(() => undefined);
  return said.join('\n');
}

describe('an unknown command', () => {
  it('that other tools have is told how that is done here, and no command that is spelt alike', async () => {
    expect(await saidOf('start')).toMatch(
      /^✗ bad-argument Unknown command 'start'\.\nThe collector is started by: .*collect`$/,
    );
    expect(await saidOf('stop')).not.toContain('Did you mean');
    expect(await saidOf('view')).toContain('reenact show <id>');
  });

  it('that is misspelt is told what was meant', async () => {
    expect(await saidOf('re-play')).toContain('(Did you mean replay?)');
  });

  it('is told so where its help is asked for, and not given that of all commands', async () => {
    for (const flag of ['--help', '-h']) expect(await saidOf('re-play', flag)).toContain("Unknown command 're-play'.");
    expect(await saidOf('import', '--help')).toContain('A file needs none');
    expect(await saidOf('--help')).toContain('Usage: reenact');
    expect(await saidOf('docs', '--help')).toContain('Usage: reenact docs');
  });
});

it('is followed by no collector that a program below another command starts: npm runs that command alone', async () => {
  const environment: NodeJS.ProcessEnv = { npm_lifecycle_script: "'reenact'" };
  await saidIn(environment, 'collect', '--config', 'nothing.json');
  expect(environment).toHaveProperty('npm_lifecycle_script');
  await saidIn(environment, 'docs', 'errors');
  expect(environment).toEqual({});
});
