import type { PlainValue } from '@reenact/otlp';
import { describe, expect, it } from 'vitest';
import { recordedCommand } from './recorded-command.ts';

function commandOf(words: PlainValue, folder = '/srv/app'): string | undefined {
  const resource = new Map<string, PlainValue>([
    ['process.command_args', words],
    ['process.working_directory', folder],
  ]);
  return recordedCommand({ resource });
}

describe('the command that a process was recorded of', () => {
  it('is what is typed in its folder', () => {
    expect(commandOf(['/usr/local/bin/node', '/srv/app/src/app.ts', '--verbose'])).toBe('node src/app.ts --verbose');
  });

  it('names other programs, and files elsewhere, by their paths', () => {
    expect(commandOf(['/opt/electron', '/srv/application/app.js'])).toBe('/opt/electron /srv/application/app.js');
  });

  it('has the flags of Node.js, and not the hook, which a replay brings', () => {
    expect(commandOf(['/bin/node', '--import', 'reenact/register', '--env-file=.env', '/srv/app/app.js'])).toBe(
      'node --env-file=.env app.js',
    );
    expect(commandOf(['/bin/node', '--import=reenact/register', '--import', 'tsx', '/srv/app/app.js'])).toBe(
      'node --import tsx app.js',
    );
    const path = 'file:///srv/node_modules/reenact/dist/register.js';
    expect(commandOf(['/bin/node', '--import', path, '/srv/app/app.js'])).toBe('node app.js');
  });

  it('has the hook where it was loaded by `require`, for a replay is told so by its command', () => {
    const compiler = ['-r', 'ts-node/register', '/srv/app/app.ts'];
    expect(commandOf(['/bin/node', '-r', 'reenact/register', ...compiler])).toBe(
      'node -r reenact/register -r ts-node/register app.ts',
    );
    expect(commandOf(['/bin/node', '--require=reenact/register', ...compiler])).toBe(
      'node --require=reenact/register -r ts-node/register app.ts',
    );
    expect(commandOf(['/bin/node', '--import', 'reenact/register', ...compiler])).toBe(
      'node -r ts-node/register app.ts',
    );
  });

  it.each([
    [
      'jest-worker/build/processChild.js',
      'node --experimental-vm-modules node_modules/jest/bin/jest.js --runInBand <its test file>',
    ],
    ['vitest/dist/workers/forks.js', 'npx vitest run --pool=forks <its test file>'],
  ])('is that of the test runner, which gives files to it: %s', (worker, command) => {
    expect(commandOf(['/bin/node', '--import=reenact/register', `/srv/app/node_modules/${worker}`])).toBe(command);
  });

  it('has the flag that Jest has from the environment where it is recorded, once', () => {
    const flag = '--experimental-vm-modules';
    expect(commandOf(['/bin/node', '/srv/app/node_modules/.bin/jest', '-i'])).toBe(
      `node ${flag} node_modules/.bin/jest -i`,
    );
    const typed = ['/bin/node', flag, '/srv/app/node_modules/jest/bin/jest.js'];
    expect(commandOf(typed)).toBe(`node ${flag} node_modules/jest/bin/jest.js`);
    expect(commandOf(['/bin/node', '/srv/app/jest.js'])).toBe('node jest.js');
  });

  it('is quoted for a shell', () => {
    expect(commandOf(['/bin/node', '/srv/app/app.js', "what's up?"])).toBe(String.raw`node app.js 'what'\''s up?'`);
  });

  it.each([
    ['code on the command line', ['/bin/node']],
    ['nothing', []],
    ['no words', 'node app.js'],
    ['something else among them', ['/bin/node', 3]],
  ])('is not known where the recording says %s', (_, words) => {
    expect(commandOf(words as PlainValue)).toBeUndefined();
  });

  it('is not known where the recording does not say it', () => {
    expect(recordedCommand({ resource: new Map() })).toBeUndefined();
  });
});
