import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { detectEnvironment } from './detect-environment.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reenact-environment-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('the name of a service', () => {
  const nameIn = (environment: NodeJS.ProcessEnv = {}): unknown =>
    detectEnvironment(environment, folder).attributes['service.name'];

  it('is that of its package, or what the environment says', () => {
    writeFileSync(join(folder, 'package.json'), '{"name":"trader"}');
    expect([nameIn(), nameIn({ OTEL_SERVICE_NAME: 'desk' })]).toEqual(['trader', 'desk']);
  });

  it.each(['{}', '{"name":""}', '{'])('is unknown, of its program, where the package says none: %s', (manifest) => {
    writeFileSync(join(folder, 'package.json'), manifest);
    expect(nameIn()).toBe(`unknown_service:${basename(process.execPath)}`);
  });
});

describe('the version of a service', () => {
  afterEach(() => vi.unstubAllEnvs());

  const versionIn = (manifest: string): unknown => {
    writeFileSync(join(folder, 'package.json'), manifest);
    return detectEnvironment({}, folder).attributes['service.version'];
  };

  it('is that of its package', () => {
    expect(versionIn('{"name":"trader","version":"3.4.5"}')).toBe('3.4.5');
  });

  it('is what the environment says of it', () => {
    vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'service.version=2026.11');
    expect(versionIn('{"name":"trader","version":"3.4.5"}')).toBe('2026.11');
  });

  it('is not that of a package which is called otherwise', () => {
    vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'service.name=billing');
    expect(versionIn('{"name":"monorepo","version":"0.0.0"}')).toBeUndefined();
    vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'service.name=billing,service.version=7');
    expect(versionIn('{"name":"monorepo","version":"0.0.0"}')).toBe('7');
  });

  it.each(['{}', '{"version":""}', '{"version":7}', '{'])('is left out where the package says none: %s', (manifest) => {
    expect(versionIn(manifest)).toBeUndefined();
  });
});

const git = (cwd: string, ...parameters: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...parameters], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
const commit = (cwd: string, message: string): string => {
  git(cwd, 'commit', '--allow-empty', '-m', message);
  return git(cwd, 'rev-parse', 'HEAD');
};

describe('the commit', () => {
  const found = (at: string): unknown[] => {
    const { attributes } = detectEnvironment({}, at);
    return [attributes['vcs.ref.head.name'], attributes['vcs.ref.head.revision']];
  };
  beforeEach(() => {
    git(folder, 'init', '-b', 'main');
    commit(folder, 'outer');
  });

  it('is that of a work tree inside its repository', () => {
    const side = join(folder, 'side');
    git(folder, 'worktree', 'add', '-b', 'feature/side', side);
    const revision = commit(side, 'of the side');
    mkdirSync(join(side, 'src'));
    expect(found(join(side, 'src'))).toEqual(['feature/side', revision]);
    git(side, 'pack-refs', '--all');
    expect(found(side)).toEqual(['feature/side', revision]);
    git(side, 'checkout', '--detach');
    expect(found(side)).toEqual([undefined, revision]);
  });

  it('is that of a repository inside another one, also where its branches are packed', () => {
    const inner = join(folder, 'inner');
    mkdirSync(inner);
    git(inner, 'init', '-b', 'main');
    const revision = commit(inner, 'inner');
    git(inner, 'pack-refs', '--all');
    expect(found(inner)).toEqual(['main', revision]);
  });

  it('is not known before the first one, also inside another repository', () => {
    const inner = join(folder, 'inner');
    mkdirSync(inner);
    git(inner, 'init', '-b', 'main');
    expect(found(inner)).toEqual(['main', undefined]);
  });

  it('is that of a submodule, and changed files are looked for in it', () => {
    const library = join(folder, 'library');
    mkdirSync(library);
    git(library, 'init', '-b', 'library');
    writeFileSync(join(library, 'file'), 'text');
    git(library, 'add', '.');
    const revision = commit(library, 'library');
    const outer = join(folder, 'outer');
    mkdirSync(outer);
    git(outer, 'init', '-b', 'main');
    git(outer, '-c', 'protocol.file.allow=always', 'submodule', 'add', library, 'sub');
    commit(outer, 'with a submodule');
    expect(found(join(outer, 'sub'))).toEqual(['library', revision]);
    expect(detectEnvironment({}, outer).attributes['reenact.environment.dirty']).toBeUndefined();
    writeFileSync(join(outer, 'sub/file'), 'changed text');
    expect(detectEnvironment({}, join(outer, 'sub')).attributes['reenact.environment.dirty']).toBe(true);
  });

  it('is not known where the git folder is gone that a work tree names', () => {
    const side = join(folder, 'side');
    mkdirSync(side);
    writeFileSync(join(side, '.git'), 'gitdir: /nowhere\n');
    expect(found(side)).toEqual([undefined, undefined]);
  });
});
