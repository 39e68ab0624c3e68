import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import fs, { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PatchSet } from '../patching/patch-set.ts';
import type { OutsideWork } from './outside-work.ts';
import { patchOutsideWork } from './patch-outside-work.ts';

/** What was asked about, and what was told of it, in order. */
let log: string[];
/** Work that waits to be begun, where it is held. */
let held: (() => void)[] | undefined;
let patches: PatchSet;
let folder: string;

function workOf(name: string): OutsideWork {
  log.push(name);
  let start: (() => void) | undefined;
  const startNow = (): void => {
    start?.();
    start = undefined;
  };
  return {
    ordinal: 0,
    begin: (begun) => {
      start = begun;
      if (held === undefined) startNow();
      else held.push(startNow);
    },
    ended: () => log.push(`${name} ended`),
    left: () => {
      log.push(`${name} left`);
      startNow();
    },
  };
}

beforeEach(() => {
  log = [];
  held = undefined;
  folder = mkdtempSync(join(tmpdir(), 'outside-work-'));
  patches = new PatchSet();
  patchOutsideWork(patches, workOf);
});

afterEach(() => {
  patches.restore();
  rmSync(folder, { recursive: true });
});

let made = 0;
function place(): string {
  made += 1;
  return join(folder, `${made}`);
}

function file(): string {
  const path = place();
  writeFileSync(path, 'text');
  return path;
}

function directory(): string {
  const path = place();
  mkdirSync(path);
  return path;
}

const parametersOf: Record<string, () => unknown[]> = {
  access: () => [file()],
  appendFile: () => [file(), 'more'],
  chmod: () => [file(), 0o600],
  chown: () => [file(), process.getuid?.(), process.getgid?.()],
  copyFile: () => [file(), place()],
  lchown: () => [file(), process.getuid?.(), process.getgid?.()],
  link: () => [file(), place()],
  lstat: () => [file()],
  lutimes: () => [file(), 1, 1],
  mkdir: () => [place()],
  mkdtemp: () => [place()],
  readFile: () => [file()],
  readdir: () => [directory(), { recursive: true }],
  readlink: () => [process.argv0],
  realpath: () => [file()],
  rename: () => [file(), place()],
  rmdir: () => [directory()],
  stat: () => [file()],
  statfs: () => [folder],
  symlink: () => [file(), place()],
  truncate: () => [file(), 1],
  unlink: () => [file()],
  utimes: () => [file(), 1, 1],
  writeFile: () => [file(), 'other'],
};

/** Functions of `node:fs` that are made of others: these are told. */
const partsOf: Record<string, string[]> = {
  appendFile: ['fs.open', 'fs.write', 'fs.close'],
  realpath: ['fs.lstat'],
  truncate: ['fs.open', 'fs.close'],
  writeFile: ['fs.open', 'fs.write', 'fs.close'],
};

function asked(): string[] {
  return log.filter((line) => !line.endsWith(' ended'));
}

describe('work outside JavaScript', () => {
  it.each(Object.keys(parametersOf))('of fs.%s is asked about once, whatever the platform makes it of', async (key) => {
    const parameters = parametersOf[key]?.() ?? [];
    await new Promise((resolve) => (Reflect.get(fs, key) as (...given: unknown[]) => void)(...parameters, resolve));
    expect(new Set(asked())).toEqual(new Set(partsOf[key] ?? [`fs.${key}`]));
    expect(log.filter((line) => line.endsWith(' ended'))).toHaveLength(asked().length);
    log = [];
    const promised = parametersOf[key]?.() ?? [];
    const waiting = Reflect.get(fs.promises, key) as (...given: unknown[]) => Promise<unknown>;
    await waiting(...promised).catch(() => undefined);
    expect(log).toEqual([`fs.promises.${key}`, `fs.promises.${key} ended`]);
  });

  it('of file handles, of streams, of compressors and of cryptography is asked about', async () => {
    const handle = await fs.promises.open(file());
    await handle.stat();
    await handle.close();
    expect(asked()).toEqual(['fs.promises.open', 'FileHandle.stat', 'FileHandle.close']);
    log = [];
    await buffer(fs.createReadStream(file()));
    expect(asked()).toEqual(['fs.open', 'fs.read', 'fs.read', 'fs.close']);
    log = [];
    await promisify(zlib.gzip)('text');
    await promisify(zlib.brotliDecompress)(zlib.brotliCompressSync('text'));
    await new Response(new Response('text').body?.pipeThrough(new CompressionStream('gzip'))).bytes();
    await globalThis.crypto.subtle.digest('SHA-256', new Uint8Array(1));
    await promisify(crypto.pbkdf2)('secret', 'salt', 1, 8, 'sha1');
    expect(asked().map((line) => line.split(' ')[0])).toEqual(
      expect.arrayContaining(['zlib.Zlib', 'zlib.BrotliDecoder', 'subtle.digest', 'crypto.pbkdf2']),
    );
    expect(log).toHaveLength(asked().length * 2);
  });

  it('is told before anybody hears of its end, in the stack, the context and with the result that it had', async () => {
    const storage = new AsyncLocalStorage<string>();
    const heard = await storage.run(
      'store',
      () =>
        new Promise<unknown[]>((resolve) => {
          fs.stat(folder, function onStat(this: unknown, ...given) {
            resolve([log.at(-1), storage.getStore(), given.length, given[1].isDirectory(), new Error('here').stack]);
          });
        }),
    );
    expect(heard.slice(0, 4)).toEqual(['fs.stat ended', 'store', 2, true]);
    expect(
      String(heard[4])
        .split('\n')
        .map((line) => line.trim().split(' ')[1]),
    ).toEqual(['here', 'onStat', 'FSReqCallback.oncomplete']);
    const failed = (await promisify(zlib.gunzip)('no gzip').catch((error: Error) => error)) as Error;
    expect([failed.stack?.includes('[as onerror]'), log.at(-1)]).toEqual([true, 'zlib.Zlib ended']);
    await expect(fs.promises.readFile(place())).rejects.toThrow(/ENOENT/);
    expect(() => fs.stat(1.5 as never, () => undefined)).toThrow(TypeError);
  });
});

/** Patches again, above: asks about work under this name, numbered, and tells of it. */
function patchAbove(layer: string): PatchSet {
  const above = new PatchSet();
  let asked = 0;
  patchOutsideWork(above, (name) => {
    log.push(`${layer} ${name}`);
    asked += 1;
    return {
      ordinal: 40 + asked,
      begin: (start) => start(),
      ended: () => log.push(`${layer} ${name} ended`),
      left: () => undefined,
    };
  });
  return above;
}

/** Compresses in three parts: two texts, and the end. */
async function zipInParts(): Promise<void> {
  const zip = zlib.createGzip();
  const zipped = buffer(zip);
  await promisify((text: string, done: () => void) => zip.write(text, done))('text');
  zip.end('more');
  await zipped;
}

describe('one who watches beside another', () => {
  it('hears of every end of a compressor once, under names of its own', async () => {
    const above = patchAbove('above');
    try {
      await zipInParts();
    } finally {
      above.restore();
    }
    const names = ['zlib.Zlib', 'zlib.Zlib 0', 'zlib.Zlib 0'];
    const namesAbove = ['above zlib.Zlib', 'above zlib.Zlib 41', 'above zlib.Zlib 41'];
    const expected = names.flatMap((name, part) => {
      const nameAbove = namesAbove[part] ?? '';
      return [nameAbove, name, `${name} ended`, `${nameAbove} ended`];
    });
    expect(log).toEqual(expected);
  });

  it('who wants nothing of it changes no name that the other knows', async () => {
    const above = new PatchSet();
    patchOutsideWork(above, () => undefined);
    try {
      await zipInParts();
    } finally {
      above.restore();
    }
    const names = ['zlib.Zlib', 'zlib.Zlib 0', 'zlib.Zlib 0'];
    expect(log).toEqual(names.flatMap((name) => [name, `${name} ended`]));
  });
});

describe('the platform beside it', () => {
  it('has the work of a compressor begun that is closed: what begins later would end the process', async () => {
    held = [];
    const zip = zlib.createGzip();
    zip.on('error', () => undefined).write('text');
    const closed = new Promise((resolve) => zip.on('close', resolve));
    zip.destroy();
    await closed;
    expect(log.slice(0, 2)).toEqual(['zlib.Zlib', 'zlib.Zlib left']);
    for (const begin of held) begin();
  });

  it('leaves the functions of the platform what they were', () => {
    expect([fs.readFile.name, fs.readFile.length, fs.promises.stat.name]).toEqual(['readFile', 3, 'stat']);
    patches.restore();
    log = [];
    fs.stat(folder, () => undefined);
    expect(log).toEqual([]);
  });
});
