import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ioredisClient, pgClient, recordConnection, trapLog } from '@reenact/instrumentation';
import { AiSdkInstrumentation } from '@reenact/instrumentation-ai-sdk';
import { AnthropicInstrumentation } from '@reenact/instrumentation-anthropic';
import { GrpcInstrumentation } from '@reenact/instrumentation-grpc';
import { HttpInstrumentation } from '@reenact/instrumentation-http';
import { McpInstrumentation } from '@reenact/instrumentation-mcp';
import { OpenAIInstrumentation } from '@reenact/instrumentation-openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATCHED_PACKAGES } from '../recording/install-instrumentations.ts';
import { LoadedPackages } from './module-watch.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'reenact-modules-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A package on disk; gives the address of its main module. */
function install(path: string, version: string): string {
  const place = join(folder, path);
  mkdirSync(join(place, 'build'), { recursive: true });
  writeFileSync(join(place, 'package.json'), JSON.stringify({ version }));
  return pathToFileURL(join(place, 'build/index.js')).href;
}

/** What is found about one pair of copies. */
function compared(name: string, first: string, second: string, state?: string): string[] {
  const place = `${first}-${second}-${state}/node_modules`;
  const kinds: string[] = [];
  const loaded = new LoadedPackages(() => state);
  const stop = trapLog.listen(({ kind, detail }) => {
    if (detail.includes(`${folder}/${place}`)) kinds.push(kind);
  });
  loaded.note(install(`${place}/${name}`, first));
  loaded.note(install(`${place}/library/node_modules/${name}`, second));
  loaded.note(install(`${place}/library/node_modules/${name}`, second));
  stop();
  return kinds;
}

describe('copies of an OpenTelemetry API', () => {
  it.each([
    ['@opentelemetry/api', '1.9.1', '1.10.0', undefined, ['api-versions']],
    ['@opentelemetry/api', '1.9.1', '1.10.0', '1.9.1', ['api-versions']],
    ['@opentelemetry/api', '1.10.0', '1.9.0', '1.10.0', ['api-copies']],
    ['@opentelemetry/api', '2.0.0', '1.10.0', '1.10.0', ['api-versions']],
    ['@opentelemetry/api', '1.9.0', '1.9.1', undefined, ['api-copies']],
    ['@opentelemetry/api-logs', '0.222.0', '0.223.0', undefined, ['api-copies']],
    ['@opentelemetry/api-logs', '0.223.0', '1.0.0', undefined, ['api-versions']],
    ['@opentelemetry/core', '1.0.0', '2.0.0', undefined, []],
  ])('%s %s and %s, where %s came first', (name, first, second, state, expected) => {
    expect(compared(name, first, second, state)).toEqual(expected);
  });

  it.each([
    ['@opentelemetry/sdk-trace-node', '1.9.0', ['api-copies', 'api-versions']],
    ['@opentelemetry/sdk-trace-node', '1.10.0', ['api-copies']],
    // What Genkit loads for its exporters: whoever registers a provider does that by another package.
    ['@opentelemetry/sdk-logs', '1.9.0', ['api-copies']],
    ['@opentelemetry/sdk-trace-base', '1.9.0', ['api-copies']],
    ['library', '1.9.0', ['api-copies']],
  ])('are told of where %s sets up through another version than came first: %s', (sdk, version, expected) => {
    const place = `${sdk}-${version}/node_modules`;
    const kinds: string[] = [];
    const stop = trapLog.listen(({ kind, detail }) => {
      if (detail.includes(`${folder}/${place}`)) kinds.push(kind);
    });
    const loaded = new LoadedPackages(() => '1.10.0');
    loaded.note(install(`${place}/own/node_modules/@opentelemetry/api`, '1.10.0'));
    loaded.note(install(`${place}/@opentelemetry/api`, version));
    for (let times = 0; times < 2; times += 1) loaded.note(install(`${place}/${sdk}`, '2.0.0'));
    stop();
    expect(kinds.toSorted()).toEqual(expected);
  });
});

describe('many copies of an OpenTelemetry API', () => {
  it('are told once each, with one that cannot see the other before any', () => {
    const kinds: string[] = [];
    const loaded = new LoadedPackages(() => '1.10.0');
    const place = 'many/node_modules';
    const stop = trapLog.listen(({ kind, detail }) => {
      if (detail.includes(`${folder}/${place}`)) kinds.push(kind);
    });
    for (const [copy, version] of ['1.10.1', '1.9.0', '1.10.0', '1.11.0', '1.10.0'].entries())
      loaded.note(install(`${place}/library-${copy}/node_modules/@opentelemetry/api`, version));
    stop();
    expect(kinds).toEqual(['api-copies', 'api-copies', 'api-versions', 'api-versions']);
  });
});

describe('drivers', () => {
  it('are named as long as no client of theirs was wrapped', () => {
    const loaded = new LoadedPackages();
    loaded.note('node:sqlite');
    loaded.note('node:fs');
    loaded.note(install('a/node_modules/pg', '8.0.0'));
    loaded.note(install('a/node_modules/kafkajs', '2.0.0'));
    expect(loaded.unwrapped()).toEqual(['node:sqlite', 'pg', 'kafkajs']);
    pgClient({ query: () => undefined, connect: () => undefined, end: () => undefined } as never);
    expect(loaded.unwrapped()).toEqual(['node:sqlite', 'kafkajs']);
    recordConnection(() => ({ place: '127.0.0.1:5432', package: 'pg' }));
    expect(loaded.unwrapped()).toEqual(['node:sqlite', 'pg', 'kafkajs']);
  });

  it.each([
    '@confluentinc/kafka-javascript',
    '@nats-io/transport-node',
    '@valkey/valkey-glide',
    'couchbase',
    'iovalkey',
    'mariadb',
    'mqtt',
  ])('are named where %s is loaded', (name) => {
    const loaded = new LoadedPackages();
    loaded.note(install(`b/node_modules/${name}`, '1.0.0'));
    expect(loaded.unwrapped()).toEqual([name]);
  });

  it('are named by the driver where only the package of it is loaded that connects', () => {
    const loaded = new LoadedPackages();
    loaded.note(install('d/node_modules/@redis/client', '6.0.0'));
    expect(loaded.unwrapped()).toEqual(['redis']);
    loaded.note(install('d/node_modules/redis', '6.0.0'));
    loaded.note(install('d/node_modules/libsql', '1.0.0'));
    expect(loaded.unwrapped()).toEqual(['redis']);
  });

  it('are not named where a client of iovalkey was wrapped as those of ioredis are', () => {
    const loaded = new LoadedPackages();
    loaded.note(install('c/node_modules/iovalkey', '0.4.0'));
    ioredisClient(
      class Redis {
        connect = async () => undefined;
        quit() {}
      },
    );
    expect(loaded.unwrapped()).toEqual([]);
  });
});

describe('patched libraries', () => {
  it.each([
    ['undici', '5.29.0', true],
    ['undici', '6.0.0', false],
    ['undici', '8.0.0', false],
    ['undici', '9.0.0-next.1', true],
    ['@modelcontextprotocol/sdk', '1.19.9', true],
    ['@modelcontextprotocol/sdk', '1.20.0', false],
    ['openai', '4.104.0', true],
    ['openai', '6.1.0', false],
    ['left-pad', '0.0.1', false],
  ])('%s %s is loaded in a version that is not patched: %s', (name, version, isTold) => {
    const told: string[] = [];
    const place = `versions-${version}/node_modules/${name}`;
    const stop = trapLog.listen(({ kind, detail }) => {
      if (detail.includes(place)) told.push(kind);
    });
    new LoadedPackages().note(install(place, version));
    stop();
    expect(told).toEqual(isTold ? ['library-version'] : []);
  });

  it('are those of the instrumentations, in the versions that these say', () => {
    const made = [
      new AiSdkInstrumentation(),
      new AnthropicInstrumentation(),
      new GrpcInstrumentation(),
      new HttpInstrumentation(),
      new McpInstrumentation(),
      new OpenAIInstrumentation(),
    ];
    // What is only read for names of fields goes without.
    const others = new Set(['http', 'https', 'http2', '@bufbuild/protobuf']);
    const said = made
      .flatMap((instrumentation) => instrumentation.getModuleDefinitions())
      .map(({ name, supportedVersions }) => [name, supportedVersions.join()] as const)
      .filter(([name]) => !others.has(name));
    for (const instrumentation of made) instrumentation.disable();
    expect(new Map(said)).toEqual(PATCHED_PACKAGES);
  });
});

describe('a library that was loaded before the hook', () => {
  it('is told of where nobody has loaded it since', () => {
    const details: string[] = [];
    const loaded = new LoadedPackages();
    loaded.preload('openai');
    loaded.preload('@anthropic-ai/sdk');
    loaded.note(install('again/node_modules/openai', '7.1.0'));
    const stop = trapLog.listen(({ kind, detail }) => {
      if (kind === 'library-preloaded') details.push(detail);
    });
    loaded.reportPreloaded();
    stop();
    expect(details).toEqual(['@anthropic-ai/sdk']);
  });
});
