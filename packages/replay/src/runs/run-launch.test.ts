import { describe, expect, it } from 'vitest';
import { isOtherProgram, RunLaunch } from './run-launch.ts';

/** A launch of a run whose process was started with these words; `told` collects what becomes of it. */
function launchOf(words: readonly string[], { isAsked = false, haveEnded = false } = {}) {
  const told: string[] = [];
  const launch = new RunLaunch({
    recording: { resource: new Map([['process.command_args', words]]) } as never,
    root: { path: 'agent:process' } as never,
    lookUp: { metElsewhere: () => told.push('handed over') },
    isAsked,
    note: (text) => told.push(text),
    haveEnded: () => haveEnded,
    stopProcess: () => told.push('stopped'),
  });
  return { launch, told };
}

const recorded = [
  '/usr/bin/node',
  '--import',
  'reenact/register',
  '--stack-size=900',
  '/srv/app/main.js',
  'serve',
  '-v',
];

describe('the process of a run', () => {
  it.each([
    ['its script elsewhere, and other flags', ['--enable-source-maps', '/home/me/main.js', 'serve', '-v'], true],
    ['another script', ['/srv/app/other.js', 'serve', '-v'], false],
    ['other words behind it', ['/srv/app/main.js', 'serve'], false],
    ['code given as text', ['-e', '/srv/app/main.js', 'serve', '-v'], false],
    ['no script', ['--version'], false],
  ])('is told by its words: %s', (_case, words, expected) => {
    expect(launchOf(recorded).launch.launches(words)).toBe(expected);
  });

  it('is started once, by a process that has done nothing of the run', () => {
    const { launch, told } = launchOf(['node', 'main.js']);
    expect([launch.launches(['main.js']), launch.launches(['main.js'])]).toEqual([true, false]);
    expect(told).toEqual(['handed over', expect.stringContaining('The command started')]);
    const begun = launchOf(['node', 'main.js']).launch;
    begun.told({ event: { type: 'met' } as never });
    expect(begun.launches(['main.js'])).toBe(false);
  });

  it('is one of several where a request decides', () => {
    const { launch } = launchOf(['node', 'main.js'], { isAsked: true });
    expect([launch.launches(['main.js']), launch.launches(['main.js'])]).toEqual([true, true]);
  });

  it('is the last thing that its command starts', () => {
    const { launch, told } = launchOf(['node', 'main.js'], { haveEnded: true });
    launch.launches(['main.js']);
    launch.launches(['other.js']);
    expect(told.at(-1)).toBe('stopped');
  });

  it('is named where another process starts something else', () => {
    expect(launchOf(recorded).launch.adviceFor(['/srv/app/watch.js'])).toMatch(
      /^The run was.*node \/srv\/app\/main\.js serve -v/,
    );
    expect(launchOf(recorded).launch.adviceFor(['/here/main.js', 'serve', '-v'])).toBe('');
    expect(launchOf([]).launch.adviceFor(['/srv/app/watch.js'])).toBe('');
  });
});

it.each([
  ['its script elsewhere', recorded, ['/home/me/main.js'], false],
  ['compiled', recorded, ['/home/me/main.ts', 'serve'], false],
  ['what starts it', recorded, ['/app/node_modules/tsx/dist/cli.mjs', 'main.js'], true],
  ['a recording that does not say it', [], ['/app/node_modules/tsx/dist/cli.mjs'], false],
])('a program is another by the name of its script: %s', (_case, words, own, expected) => {
  expect(isOtherProgram({ resource: new Map([['process.command_args', [...words]]]) }, own)).toBe(expected);
});
