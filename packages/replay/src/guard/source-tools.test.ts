import { describe, expect, it } from 'vitest';
import { isCompiler, isLauncher, isWatchman, isWatchmanSocket } from './source-tools.ts';

describe('a process that only starts another', () => {
  it.each([
    ['/usr/lib/node_modules/npm/bin/npm-cli.js', true],
    ['/usr/lib/node_modules/npm/bin/npx-cli.js', true],
    ['/home/user/.cache/node/corepack/v1/pnpm/10.1.0/bin/pnpm.cjs', true],
    ['/app/.yarn/releases/yarn-4.5.0.cjs', true],
    ['/app/node_modules/tsx/dist/cli.mjs', true],
    ['C:\\Program Files\\nodejs\\node_modules\\npm\\bin\\npm-cli.js', true],
    ['/app/src/agent.ts', false],
    ['/app/node_modules/next/dist/bin/next', false],
    ['/app/node_modules/npm-run-all/bin/run.js', false],
    ['/app/node_modules/tsx/dist/loader.mjs', false],
    ['/app/npm.js', false],
    [undefined, false],
  ])('%s: %s', (script, isOne) => {
    expect(isLauncher(script)).toBe(isOne);
  });
});

describe('a compiler', () => {
  it.each([
    ['/app/node_modules/@esbuild/linux-x64/bin/esbuild', true],
    ['/app/node_modules/.pnpm/esbuild@0.28.2/node_modules/esbuild/lib/main.js', true],
    ['C:\\app\\node_modules\\esbuild\\lib\\main.js', true],
    ['/app/esbuild/lib/main.js', false],
    ['/app/node_modules/esbuild/lib/main.js/worker.js', false],
    ['/app/node_modules/agent/lib/main.js', false],
    ['/app/node_modules/vitest/dist/workers/watchdog.js', true],
    ['/app/node_modules/vitest/dist/workers/forks.js', false],
    ['/app/workers/watchdog.js', false],
  ])('%s: %s', (program, isOne) => {
    expect(isCompiler(program)).toBe(isOne);
  });
});

describe('Watchman, as Jest asks for it', () => {
  it.each([
    ['watchman', ['--no-pretty', 'get-sockname'], true],
    ['/usr/local/bin/watchman', ['--version'], true],
    ['watchman', ['watch-del-all'], false],
    ['watchman', [], false],
    ['watchmen', ['--version'], false],
    [undefined, ['--version'], false],
  ])('%s %s: %s', (program, words, isOne) => {
    expect(isWatchman(program, words)).toBe(isOne);
  });

  it.each([
    ['/usr/local/var/run/watchman/me-state/sock', true],
    ['/home/me/.local/state/watchman/me-state/sock', true],
    ['/run/redis.sock', false],
  ])('%s: %s', (path, isOne) => {
    expect(isWatchmanSocket(path)).toBe(isOne);
  });
});
