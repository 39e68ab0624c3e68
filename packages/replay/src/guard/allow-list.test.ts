import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startOfReplayMs } from '@reenact/instrumentation';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { AllowList } from './allow-list.ts';

const hostOf = (host: string, port?: number) => ({ type: 'host', name: 'net.connect', host, port }) as const;
const fileAt = (...paths: (string | undefined)[]) =>
  ({ type: 'file', name: 'fs.writeFile', paths, target: 'x' }) as const;
const programAt = (target: string) => ({ type: 'program', name: 'child_process.spawn', target }) as const;

describe('hosts', () => {
  it.each([
    ['api.example.com', 'api.example.com', 443, true],
    ['api.example.com', 'API.Example.com', 80, true],
    ['api.example.com', 'api.example.com.evil.net', 443, false],
    ['api.example.com', 'other.api.example.com', 443, false],
    ['api.example.com:443', 'api.example.com', 443, true],
    ['api.example.com:443', 'api.example.com', 80, false],
    ['api.example.com:443', 'api.example.com', undefined, true],
    ['*.example.com', 'a.b.example.com', 443, true],
    ['*.example.com', 'example.com', 443, false],
    ['*.example.com', 'badexample.com', 443, false],
    ['*.example.com:8080', 'a.example.com', 443, false],
    ['[::1]:80', '::1', 80, true],
    ['[::1]:80', '::1', 81, false],
    ['fe80::1', 'fe80::1', 81, true],
    ['127.0.0.1', '127.0.0.1', 9, true],
    ['127.0.0.1', 'localhost', 9, false],
  ])('%s and %s:%s: %s', (rule, host, port, isAllowed) => {
    expect(new AllowList({ allowHosts: [rule], allowPaths: [], allowPrograms: [] }).allows(hostOf(host, port))).toBe(
      isAllowed,
    );
  });

  it('nothing is allowed where nothing was, not even loopback', () => {
    const list = new AllowList({ allowHosts: [], allowPaths: [], allowPrograms: [] });
    for (const host of ['127.0.0.1', 'localhost', '::1', 'example.com'])
      expect(list.allows(hostOf(host, 80))).toBe(false);
  });
});

describe('databases in the folder for temporary files', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('are scratch where the replay makes them, and none where they were there before', () => {
    const before = realpathSync(process.execPath);
    vi.stubEnv('TMPDIR', dirname(before));
    const list = new AllowList({ allowHosts: [], allowPaths: [], allowPrograms: [] });
    const databaseAt = (path: string) => ({ ...fileAt(path), isDatabase: true });
    expect(list.allows(fileAt(before))).toBe(true);
    expect(list.allows(databaseAt(before))).toBe(false);
    expect(list.allows(databaseAt(join(dirname(before), 'made-by-the-replay.db')))).toBe(true);
    const named = new AllowList({ allowHosts: [], allowPaths: [before], allowPrograms: [] });
    expect(named.allows(databaseAt(before))).toBe(true);
  });

  it('may be made by any process of the replay, which began when its directory was made', () => {
    const directory = dirname(realpathSync(process.execPath));
    expect(startOfReplayMs(directory)).toBe(statSync(directory).birthtimeMs);
    expect(startOfReplayMs(undefined)).toBe(performance.timeOrigin);
  });
});

describe('paths', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'reenact-allow-')));
  afterAll(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'real'));
  symlinkSync(join(folder, 'real'), join(folder, 'link'));

  it.each([
    ['/var/data', '/var/data', true],
    ['/var/data', '/var/data/deep/file', true],
    ['/var/data', '/var/data-other/file', false],
    ['/var/data/file.txt', '/var/data/file.txt.old', false],
    ['/var/data', '/var', false],
    ['/', '/anything', true],
  ])('%s and %s: %s', (rule, path, isAllowed) => {
    expect(new AllowList({ allowHosts: [], allowPaths: [rule], allowPrograms: [] }).allows(fileAt(path))).toBe(
      isAllowed,
    );
  });

  it('a link that is allowed means what it leads to', () => {
    const list = new AllowList({ allowHosts: [], allowPaths: [join(folder, 'link')], allowPrograms: [] });
    expect(list.allows(fileAt(join(folder, 'real/file')))).toBe(true);
  });

  it('every path of one effect must be allowed, and one that is not known never is', () => {
    const list = new AllowList({ allowHosts: [], allowPaths: ['/allowed'], allowPrograms: [] });
    expect(list.allows(fileAt('/allowed/a', '/other/b'))).toBe(false);
    expect(list.allows(fileAt('/allowed/a', undefined))).toBe(false);
    expect(list.allows(fileAt('/allowed/a', '/allowed/b'))).toBe(true);
  });

  it('temporary files, the own directory and the outputs of every program are allowed, sockets there are not', () => {
    const list = new AllowList({ allowHosts: [], allowPaths: [], allowPrograms: [] }, '/replay/own');
    for (const path of [join(realpathSync(tmpdir()), 'a'), '/replay/own/report', '/dev/null', '/dev/stderr']) {
      expect(list.allows(fileAt(path))).toBe(true);
    }
    for (const path of [join(realpathSync(tmpdir()), '.s.PGSQL.5432'), '/replay/own/service.sock'])
      expect(list.allows({ type: 'pipe', name: 'net.connect', path })).toBe(false);
  });
});

describe('what belongs to starting an agent', () => {
  const list = new AllowList({ allowHosts: [], allowPaths: [], allowPrograms: [] });

  it.each([
    ['/app/node_modules/@esbuild/linux-x64/bin/esbuild', true],
    ['/app/node_modules/esbuild/bin/esbuild', true],
    ['/app/node_modules/evil/bin/esbuild', false],
    ['esbuild', false],
    ['/bin/sh', false],
  ])('%s: %s', (program, isAllowed) => {
    expect(list.allows(programAt(program))).toBe(isAllowed);
  });

  it('the pipe of tsx is its own', () => {
    const pipeAt = (path: string) =>
      list.allows({ type: 'pipe', name: 'net.connect', path: join(realpathSync(tmpdir()), path) });
    expect(pipeAt('tsx-1000/4711.pipe')).toBe(true);
    expect(pipeAt('tsx-1000/docker.sock')).toBe(false);
    expect(pipeAt('other/4711.pipe')).toBe(false);
  });
});

describe('what a test runner needs to start', () => {
  it('happens, and nothing beside it', () => {
    const list = new AllowList({ allowHosts: [], allowPaths: [], allowPrograms: [] });
    expect(list.allows(fileAt('/app/node_modules/.vite-temp/vitest.config.mjs.timestamp-1.mjs'))).toBe(true);
    expect(list.allows(fileAt('/app/node_modules/agent/ledger.json'))).toBe(false);
    expect(list.allows(programAt('/app/node_modules/vitest/dist/workers/watchdog.js'))).toBe(true);
    expect(list.allows(programAt('/app/watchdog.js'))).toBe(false);
  });
});
