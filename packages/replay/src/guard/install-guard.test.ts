import { writeFileSync as importedBefore } from 'node:fs';
import { createRequire } from 'node:module';
import { context as contexts } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { type Position, withPosition } from '@reenact/instrumentation';
import { buildRecording } from '@reenact/recordings/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PlayerUnderTest, playerOf } from '../testdata/replay-of.ts';
import { installGuard } from './install-guard.ts';

const require = createRequire(import.meta.url);
const fs = require('node:fs') as typeof import('node:fs');
// A folder that is not there: what the guard lets through fails as it would anywhere.
const path = '/no-such-folder/file.txt';
const recording = buildRecording({ label: 'agent:a', children: [{ label: 'tool:t', input: ['one'], output: 1 }] });

const manager = new AsyncLocalStorageContextManager();
beforeEach(() => contexts.setGlobalContextManager(manager.enable()));
afterEach(() => contexts.disable());

function codeOf(call: () => unknown): unknown {
  try {
    call();
    return 'done';
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}

function inside<Result>({ player }: PlayerUnderTest, call: () => Result, more: Partial<Position> = {}): Result {
  const position = { player, cursor: recording.roots[0]?.spanId, ...more };
  return contexts.with(withPosition(contexts.active(), position), call);
}

/** Every object that the guard replaces properties of. */
function patchedObjects(): Record<string, object> {
  const names = [
    'fs',
    'dns',
    'net',
    'tls',
    'http',
    'https',
    'http2',
    'dgram',
    'child_process',
    'worker_threads',
    'cluster',
    'os',
  ];
  const modules = Object.fromEntries(names.map((name) => [name, require(`node:${name}`) as object]));
  const { Socket, Server } = require('node:net') as typeof import('node:net');
  const { DatabaseSync } = require('node:sqlite') as typeof import('node:sqlite');
  const dns = require('node:dns') as typeof import('node:dns');
  const http = require('node:http') as typeof import('node:http');
  const dgram = require('node:dgram') as typeof import('node:dgram');
  return {
    ...modules,
    sqlite: require('node:sqlite') as object,
    process,
    globalThis,
    promises: fs.promises,
    namePromises: dns.promises,
    Resolver: dns.Resolver.prototype,
    PromisedResolver: dns.promises.Resolver.prototype,
    Agent: http.Agent.prototype,
    Datagram: dgram.Socket.prototype,
    Socket: Socket.prototype,
    Server: Server.prototype,
    DatabaseSync: DatabaseSync.prototype,
  };
}

function descriptorsNow(): Map<string, PropertyDescriptor> {
  const all = new Map<string, PropertyDescriptor>();
  for (const [name, owner] of Object.entries(patchedObjects())) {
    for (const key of Reflect.ownKeys(owner)) {
      const descriptor = Object.getOwnPropertyDescriptor(owner, key);
      if (descriptor !== undefined) all.set(`${name}.${String(key)}`, descriptor);
    }
  }
  return all;
}

function changedSince(before: ReadonlyMap<string, PropertyDescriptor>): string[] {
  const isSame = (left: PropertyDescriptor, right: PropertyDescriptor | undefined): boolean =>
    Reflect.ownKeys(left).every((key) => Object.is(Reflect.get(left, key), right && Reflect.get(right, key)));
  const now = descriptorsNow();
  const names = new Set([...before.keys(), ...now.keys()]);
  return [...names].filter((name) => !isSame(before.get(name) ?? {}, now.get(name))).sort();
}

describe('installing the guard', () => {
  it('replaces functions and puts every descriptor back exactly', () => {
    patchedObjects();
    const before = descriptorsNow();
    const remove = installGuard({ player: playerOf(recording).player, scope: 'context' });
    const changed = changedSince(before);
    expect(changed.length).toBeGreaterThan(100);
    expect(changed).toEqual(
      expect.arrayContaining([
        'fs.writeFile',
        'promises.writeFile',
        'Socket.connect',
        'globalThis.fetch',
        'process.dlopen',
      ]),
    );
    remove();
    expect(changedSince(before)).toEqual([]);
  });

  it('keeps what a function looks like', () => {
    const { write, writeFile } = fs;
    const shape = Reflect.ownKeys(write).map((key) => [key, Object.getOwnPropertyDescriptor(write, key)]);
    const remove = installGuard({ player: playerOf(recording).player, scope: 'context' });
    try {
      expect(fs.write).not.toBe(write);
      expect(Reflect.ownKeys(fs.write).map((key) => [key, Object.getOwnPropertyDescriptor(fs.write, key)])).toEqual(
        shape,
      );
      expect([fs.writeFile.name, fs.writeFile.length]).toEqual([writeFile.name, writeFile.length]);
    } finally {
      remove();
    }
  });

  it('holds until the last of several replays is over, in whatever order they end', () => {
    const before = descriptorsNow();
    const [first, second] = [playerOf(recording), playerOf(recording)];
    const removeFirst = installGuard({ player: first.player, scope: 'context' });
    const removeSecond = installGuard({ player: second.player, scope: 'context' });
    removeFirst();
    removeFirst();
    expect(inside(second, () => codeOf(() => fs.writeFileSync(path, 'x')))).toBe('replay-refused');
    removeSecond();
    expect(changedSince(before)).toEqual([]);
    expect(inside(second, () => codeOf(() => fs.writeFileSync(path, 'x')))).toBe('ENOENT');
  });

  it('leaves to others what they have replaced since, and lets everything through below them', () => {
    const original = fs.writeFileSync;
    const remove = installGuard({ player: playerOf(recording).player, scope: 'context' });
    const guarded = fs.writeFileSync;
    const theirs: typeof original = (...parameters) => guarded(...parameters);
    fs.writeFileSync = theirs;
    remove();
    expect(fs.writeFileSync).toBe(theirs);
    expect(codeOf(() => fs.writeFileSync(path, 'x'))).toBe('ENOENT');
    fs.writeFileSync = original;
  });
});

describe('a guard for contexts', () => {
  it('refuses code with a position and leaves ordinary traffic alone', () => {
    const replaying = playerOf(recording, { process: 'shared' });
    const remove = installGuard({ player: replaying.player, scope: 'context' });
    try {
      expect(codeOf(() => fs.writeFileSync(path, 'x'))).toBe('ENOENT');
      expect(codeOf(() => importedBefore(path, 'x'))).toBe('ENOENT');
      expect(inside(replaying, () => codeOf(() => fs.writeFileSync(path, 'x')))).toBe('replay-refused');
      expect(inside(replaying, () => codeOf(() => importedBefore(path, 'x')))).toBe('replay-refused');
      expect(inside(replaying, () => codeOf(() => fs.writeFileSync(path, 'x')), { isLive: true })).toBe('ENOENT');
    } finally {
      remove();
    }
    const { divergences, exitCode } = replaying.report();
    const forbidden = divergences.filter(({ kind }) => kind === 'forbidden');
    expect(forbidden.map(({ kind, source }) => [kind, source?.file.endsWith('install-guard.test.ts')])).toEqual([
      ['forbidden', true],
      ['forbidden', true],
    ]);
    expect(exitCode).toBe(3);
  });

  it('knows what every program writes to by its name', () => {
    const replaying = playerOf(recording);
    const remove = installGuard({ player: replaying.player, scope: 'context' });
    try {
      const codes = ['/dev/stdout', '/dev/stderr', '/dev/null'].map((output) =>
        inside(replaying, () => codeOf(() => fs.writeFileSync(output, ''))),
      );
      expect(codes).not.toContain('replay-refused');
    } finally {
      remove();
    }
  });

  it('reports each to the replay it belongs to, with what that one allows', () => {
    const [strict, open] = [playerOf(recording), playerOf(recording)];
    const removals = [
      installGuard({ player: strict.player, scope: 'context' }),
      installGuard({
        player: open.player,
        scope: 'context',
        allowed: { allowHosts: [], allowPaths: ['/no-such-folder'], allowPrograms: [] },
      }),
    ];
    try {
      expect(inside(strict, () => codeOf(() => fs.writeFileSync(path, 'x')))).toBe('replay-refused');
      expect(inside(open, () => codeOf(() => fs.writeFileSync(path, 'x')))).toBe('ENOENT');
    } finally {
      for (const remove of removals) remove();
    }
    expect(strict.report().exitCode).toBe(3);
    expect(open.report().divergences.filter(({ kind }) => kind === 'forbidden')).toEqual([]);
  });
});

describe('a guard reports', () => {
  it('before it refuses, once for each place, and goes on refusing', () => {
    const replaying = playerOf(recording);
    const remove = installGuard({ player: replaying.player, scope: 'context' });
    const reported: number[] = [];
    try {
      inside(replaying, () => {
        for (let turn = 0; turn < 3; turn += 1) {
          expect(codeOf(() => fs.writeFileSync(path, 'x'))).toBe('replay-refused');
          reported.push(replaying.sink.events.filter(({ event }) => event.type === 'divergence').length);
        }
      });
    } finally {
      remove();
    }
    expect(reported).toEqual([1, 1, 1]);
  });

  it('so many and says so, but refuses without end', () => {
    const replaying = playerOf(recording);
    const remove = installGuard({ player: replaying.player, scope: 'context' });
    try {
      inside(replaying, () => {
        for (let turn = 0; turn < 600; turn += 1) {
          expect(codeOf(() => fs.writeFileSync(`${path}-${turn}`, 'x'))).toBe('replay-refused');
        }
      });
    } finally {
      remove();
    }
    const { divergences, notes } = replaying.report();
    expect(divergences.filter(({ kind }) => kind === 'forbidden')).toHaveLength(500);
    expect(notes.join('\n')).toMatch(/More than 500/);
  });
});

describe('a guarded fetch', () => {
  it('leaves to fetch what fetch refuses before it sends anything', async () => {
    const replaying = playerOf(recording);
    const remove = installGuard({ player: replaying.player, scope: 'context' });
    const used = new Request('http://127.0.0.1:9/', { method: 'POST', body: 'x' });
    await used.text();
    const calls = [
      () => fetch('http://127.0.0.1:9/', { headers: { 'x-key': 'two\nlines' } }),
      () => fetch('http://127.0.0.1:9/', { method: 'a b' }),
      () => fetch(used),
      () => fetch('http://127.0.0.1:9/', { headers: null as never }),
      () => fetch('http://127.0.0.1:9/', 5 as never),
    ];
    try {
      for (const call of calls) {
        // It is fetch's own error, and none of the guard's looking.
        const own = await call().catch((thrown: Error) => thrown.message);
        await expect(inside(replaying, call)).rejects.toMatchObject({ name: 'TypeError', message: own });
      }
      expect(replaying.report().counts.refused).toBe(0);
      // Valid for the mode that the request has, and for no other.
      const sameOrigin = new Request('http://127.0.0.1:9/', { mode: 'same-origin' });
      const sent = [() => fetch('http://127.0.0.1:9/'), () => fetch(sameOrigin, { cache: 'only-if-cached' })];
      for (const call of sent) await expect(inside(replaying, call)).rejects.toMatchObject({ code: 'replay-refused' });
    } finally {
      remove();
    }
  });
});
