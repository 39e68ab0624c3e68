import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
