import { once } from 'node:events';
import fs from 'node:fs';
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { gate } from '../../admission/current-gate.ts';
import { agent, boundary } from '../../boundary/boundaries.ts';
import type { CrossingFacts } from '../../gate/crossing-facts.ts';
import { installConnectionWatch } from '../install-connection-watch.ts';

const recorded: CrossingFacts[] = [];
/** Below the project, where a replay writes nothing. */
let folder: string;
let scratch: string;
let renamedByLogger: Rename;
let renamedByOther: Rename;
let pack: Pack;
let uninstall = (): void => undefined;

beforeAll(async () => {
  await mkdir(resolve('node_modules'), { recursive: true });
  folder = await mkdtemp(resolve('node_modules', 'reenact-appends-'));
  scratch = await mkdtemp(join(tmpdir(), 'reenact-appends-'));
  renamedByLogger = await renaming('rotating-file-stream');
  renamedByOther = await renaming('some-other-package');
  pack = await packer(inFolder('node_modules/some-logger'));
  await writeFile(inFolder('turned.log'), '');
  await writeFile(inFolder('moved.log'), '');
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  gate.configure({ recorder: { record: (facts) => recorded.push(facts) } });
  uninstall = installConnectionWatch();
});

beforeEach(() => {
  recorded.length = 0;
});

afterAll(async () => {
  uninstall();
  gate.configure({ recorder: undefined });
  context.disable();
  await rm(folder, { recursive: true });
  await rm(scratch, { recursive: true });
});

async function marksOf(work: () => unknown): Promise<readonly string[]> {
  await agent('writing', async () => void (await work()))();
  return recorded.find(({ boundary: { name } }) => name === 'writing')?.lossy ?? [];
}

/** Renames a file. */
type Rename = (from: string, to: string) => void;

/** The code of a package that does so. */
async function renaming(name: string): Promise<Rename> {
  const place = join(folder, 'node_modules', name);
  await mkdir(place, { recursive: true });
  await writeFile(join(place, 'package.json'), JSON.stringify({ name, main: 'index.cjs' }));
  await writeFile(join(place, 'index.cjs'), `module.exports = (from, to) => require('node:fs').renameSync(from, to);`);
  return createRequire(import.meta.url)(place) as Rename;
}

/** Packs a log beside itself, and removes it. */
type Pack = (log: string) => Promise<void>;

const packing = `const fs = require('node:fs');
const { finished } = require('node:stream/promises');
const { createGzip } = require('node:zlib');
module.exports = async (log) => {
  const source = fs.createReadStream(log);
  await finished(source.pipe(createGzip()).pipe(fs.createWriteStream(log + '.1.gz')));
  fs.unlinkSync(log);
};`;

async function packer(place: string): Promise<Pack> {
  await mkdir(place, { recursive: true });
  await writeFile(join(place, 'index.cjs'), packing);
  return createRequire(import.meta.url)(join(place, 'index.cjs')) as Pack;
}

const inFolder = (name: string): string => join(folder, name);

async function appendByHandle(path: string): Promise<void> {
  const handle = await open(path, 'a');
  await handle.appendFile('x');
  await handle.close();
}

async function appendByStream(path: string, flags = 'a'): Promise<void> {
  const stream = fs.createWriteStream(path, { flags });
  stream.end('x');
  await once(stream, 'close');
}

function appendByDescriptor(path: string): void {
  const descriptor = fs.openSync(path, fs.constants.O_WRONLY | fs.constants.O_APPEND | fs.constants.O_CREAT);
  fs.writeSync(descriptor, 'x');
  fs.fsyncSync(descriptor);
  fs.closeSync(descriptor);
}

const appends: [string, (path: string) => unknown][] = [
  ['fs.appendFileSync', (path) => fs.appendFileSync(path, 'x')],
  ['fs.appendFile', (path) => new Promise((done) => fs.appendFile(path, 'x', done))],
  ['fs.promises.writeFile', (path) => writeFile(path, 'x', { flag: 'a' })],
  ['a-descriptor', appendByDescriptor],
  ['a-handle', appendByHandle],
  ['a-stream', (path) => appendByStream(path)],
  ['a-stream-that-may-read', (path) => appendByStream(path, 'a+')],
];

describe('an agent that only adds to a file, which goes aside in a replay', () => {
  it.each(appends)('is not marked, whether the file was there or not: %s', async (name, append) => {
    const path = inFolder(`appended-${name}`);
    expect(await marksOf(() => append(path))).toEqual([]);
    recorded.length = 0;
    expect(await marksOf(() => append(path))).toEqual([]);
  });

  it.each([
    ['it', 'reads it', (path: string) => fs.readFileSync(path)],
    ['it', 'reads it by a promise', (path: string) => readFile(path)],
    ['it', 'opens it to read', (path: string) => fs.closeSync(fs.openSync(path, 'r'))],
    ['it', 'copies it among temporary files', (path: string) => fs.copyFileSync(path, join(scratch, 'copy'))],
    ['it', 'opens it to append and read', (path: string) => fs.closeSync(fs.openSync(path, 'a+'))],
    ['it', 'empties it', (path: string) => fs.writeFileSync(path, '')],
    ['it', 'removes it', (path: string) => fs.rmSync(path)],
  ])('is marked where %s %s, too', async (_who, way, use) => {
    const path = inFolder(`used-${way.replaceAll(' ', '-')}`);
    const both = (): unknown => [fs.appendFileSync(path, 'x'), use(path)][1];
    expect(await marksOf(both)).toEqual([`/connections/file ${path}`]);
  });

  it('is not marked for a stream that a file system of its own writes, and leaves it the bad paths of the platform', async () => {
    const given: unknown[] = [];
    const open = (...parameters: unknown[]): void => void given.push(parameters[0]);
    const own = { open, write: fs.write, close: fs.close } as unknown as typeof fs;
    const marks = await marksOf(async () => {
      fs.createWriteStream(inFolder('in-memory'), { flags: 'a', fs: own });
      for (const bad of ['a\0b', new URL('http://a.example/b'), inFolder('own/appended')]) {
        expect(() => fs.appendFileSync(bad, 'x')).toThrow(expect.objectContaining({ code: expect.any(String) }));
      }
      await new Promise(setImmediate);
    });
    expect([marks, given]).toEqual([[`/connections/file ${inFolder('own/appended')}`], [inFolder('in-memory')]]);
  });

  it('is not marked where it reads what a tool has added to: of that a replay appends nothing', async () => {
    const path = inFolder('appended-by-a-tool');
    boundary('tool', 'log', () => fs.appendFileSync(path, 'x'))();
    expect(await marksOf(() => fs.readFileSync(path))).toEqual([]);
  });

  it('is marked where there is no folder for it, or a folder stands there: the call fails, and would not in a replay', async () => {
    const paths = [inFolder('no-such-folder/agent.log'), folder];
    for (const path of paths) {
      recorded.length = 0;
      expect(await marksOf(() => expect(() => fs.appendFileSync(path, 'x')).toThrow())).toEqual([
        `/connections/file ${path}`,
      ]);
    }
  });
});

describe('a log that turns over', () => {
  it('leaves no mark where a logger renames it', async () => {
    expect(await marksOf(() => renamedByLogger(inFolder('turned.log'), inFolder('turned.1.log')))).toEqual([]);
  });

  it('leaves one where other code does', async () => {
    const marks = await marksOf(() => renamedByOther(inFolder('moved.log'), inFolder('moved.1.log')));
    expect(marks).toEqual([expect.stringContaining('moved.log')]);
  });

  it('leaves none where a package packs what the process only adds to, and one where that is read, or another name is meant', async () => {
    const log = inFolder('packed.log');
    expect(await marksOf(async () => [fs.appendFileSync(log, 'x'), await pack(log)])).toEqual([]);
    recorded.length = 0;
    fs.appendFileSync(log, 'x');
    expect(await marksOf(() => renamedByOther(log, inFolder('packed.2.log')))).toEqual([]);
    recorded.length = 0;
    expect(await marksOf(() => fs.readFileSync(inFolder('packed.2.log')))).toEqual([
      `/connections/file ${inFolder('packed.2.log')}`,
    ]);
    recorded.length = 0;
    expect(await marksOf(() => renamedByOther(inFolder('packed.2.log'), inFolder('results.log')))).toHaveLength(1);
  });
});
