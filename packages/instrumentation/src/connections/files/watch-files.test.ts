import { once } from 'node:events';
import fs from 'node:fs';
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { suppressTracing } from '@opentelemetry/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { gate } from '../../admission/current-gate.ts';
import { agent, boundary } from '../../boundary/boundaries.ts';
import type { CrossingFacts } from '../../gate/crossing-facts.ts';
import { FILES_NAMED_MAX } from '../../limits.ts';
import { installConnectionWatch } from '../install-connection-watch.ts';

const recorded: CrossingFacts[] = [];
/** Below the project, where a replay writes nothing; the other is among temporary files. */
let folder: string;
let scratch: string;
let descriptorBefore: number;
let uninstall = (): void => undefined;

beforeAll(async () => {
  await mkdir(resolve('node_modules'), { recursive: true });
  folder = await mkdtemp(resolve('node_modules', 'reenact-files-'));
  await writeFile(inFolder('read.txt'), 'x');
  scratch = await mkdtemp(join(tmpdir(), 'reenact-files-'));
  descriptorBefore = fs.openSync(join(folder, 'before.log'), 'a');
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
  fs.closeSync(descriptorBefore);
  await rm(folder, { recursive: true });
  await rm(scratch, { recursive: true });
});

async function marksOf(work: () => unknown): Promise<readonly string[]> {
  await agent('writing', async () => void (await work()))();
  return recorded.find(({ boundary: { name } }) => name === 'writing')?.lossy ?? [];
}

const inFolder = (name: string): string => join(folder, name);

async function writeByHandle(path: string): Promise<void> {
  const handle = await open(path, 'w');
  await handle.write('x');
  await handle.close();
}

async function writeByStream(path: string): Promise<void> {
  const stream = fs.createWriteStream(path);
  stream.end('x');
  await once(stream, 'close');
}

function writeByDescriptor(path: string): void {
  const descriptor = fs.openSync(path, 'w');
  for (let count = 0; count < 3; count += 1) fs.writeSync(descriptor, 'x');
  fs.closeSync(descriptor);
}

const ways: [string, (path: string) => unknown][] = [
  ['fs.writeFileSync', (path) => fs.writeFileSync(path, 'x')],
  ['fs.copyFileSync', (path) => fs.copyFileSync(inFolder('read.txt'), path)],
  ['fs.writeFile', (path) => new Promise((done) => fs.writeFile(path, 'x', done))],
  ['fs.promises.writeFile, imported by name', (path) => writeFile(path, 'x')],
  ['fs.mkdirSync', (path) => fs.mkdirSync(path)],
  ['fs.rmSync', (path) => fs.rmSync(path, { force: true })],
  ['fs.readFileSync that makes the file', (path) => fs.readFileSync(path, { flag: 'a+' })],
  ['a descriptor', writeByDescriptor],
  ['a file handle', writeByHandle],
  ['a stream', writeByStream],
];

describe('an agent that changes a file which a replay would not', () => {
  it.each(ways)('is marked once: %s', async (name, write) => {
    const path = inFolder(name.replaceAll(' ', '-'));
    expect(await marksOf(() => write(path))).toEqual([`/connections/file ${path}`]);
  });

  it.each(ways)('is not marked inside of a tool: %s', async (name, write) => {
    const path = inFolder(`tool-${name.replaceAll(' ', '-')}`);
    expect(await marksOf(() => boundary('tool', 'save', async () => void (await write(path)))())).toEqual([]);
  });

  it.each(ways)('is not marked for scratch: %s', async (name, write) => {
    expect(await marksOf(() => write(join(scratch, name.replaceAll(' ', '-'))))).toEqual([]);
  });

  it('is marked for what an exporter keeps in a file, which tracing is suppressed around', async () => {
    const path = inFolder('spans');
    const write = (): void => context.with(suppressTracing(context.active()), () => fs.writeFileSync(path, 'x'));
    expect(await marksOf(write)).toEqual([`/connections/file ${path}`]);
  });

  it('is marked for both names of a file that it renames out of scratch', async () => {
    fs.writeFileSync(join(scratch, 'from'), 'x');
    const paths = [join(scratch, 'from'), inFolder('to')] as const;
    expect(await marksOf(() => fs.renameSync(...paths))).toEqual([`/connections/file ${paths.join(', ')}`]);
  });

  it('is marked for what it writes to a file that was opened before the watch, and to one of another run', async () => {
    const path = inFolder('before.log');
    expect(await marksOf(() => fs.writeSync(descriptorBefore, 'x'))).toEqual([`/connections/file ${path}`]);
    recorded.length = 0;
    expect(await marksOf(() => fs.writeSync(descriptorBefore, 'x'))).toEqual([`/connections/file ${path}`]);
  });

  it('is marked for a file by a number that stood for scratch', async () => {
    const [first, second] = [join(scratch, 'number'), inFolder('number')];
    const handle = await open(first, 'w');
    await handle.write('x');
    const { fd } = handle;
    await handle.close();
    await open(first, 'r').then((other) => other.close());
    expect(await marksOf(() => writeByDescriptor(second))).toEqual([`/connections/file ${second}`]);
    expect(fd).toBeGreaterThan(2);
  });

  it('is told of a few of many files, and of what else it does', async () => {
    const write = (_: unknown, index: number): void => fs.writeFileSync(inFolder(`many-${index}`), 'x');
    const marks = await marksOf(() => Array.from({ length: 50 }).forEach(write));
    expect(marks).toHaveLength(FILES_NAMED_MAX + 1);
    expect(marks.at(-1)).toBe(`/connections/more than ${FILES_NAMED_MAX} files`);
  });
});

it('lets reading be, standard streams, and folders that are there', async () => {
  const path = inFolder('read.txt');
  const marks = await marksOf(async () => {
    fs.mkdirSync(folder, { recursive: true });
    fs.writeSync(1, '');
    fs.closeSync(fs.openSync(path, 'r'));
    fs.writeFileSync('/dev/null', 'x');
    return [fs.readFileSync(path), fs.readFileSync(path, 'utf8'), await readFile(path, { encoding: 'utf8' })];
  });
  expect(marks).toEqual([]);
});

it('leaves names, lengths and failures as they are', async () => {
  expect([fs.writeFileSync.name, fs.openSync.length]).toEqual(['writeFileSync', 3]);
  await agent('missing', () => expect(() => fs.writeFileSync(inFolder('none/none'), 'x')).toThrow(/ENOENT/))();
  await agent('failing', () => expect(() => fs.writeFileSync({} as never, 'x')).toThrow(TypeError))();
  expect(() => Reflect.apply(fs.open, fs, [inFolder('read.txt'), 'w'])).toThrow(/cb/);
});

it('hands on the promise of a handle, and a callback without a line of ours in its stack', async () => {
  const { open: before } = fs.promises;
  const handles = before(inFolder('read.txt'));
  expect(handles.constructor).toBe(Promise);
  await (await handles).close();
  const missing = fs.promises.open(inFolder('none/none'), 'w');
  await expect(missing).rejects.toThrow(/ENOENT/);
  const stack = await agent(
    'opening',
    () => new Promise((done) => fs.open(inFolder('stack'), 'w', () => done(new Error('here').stack))),
  )();
  expect(String(stack)).not.toContain('watch-files.ts');
});

it('leaves the functions of the platform as they were once it is taken away', () => {
  const before = fs.writeFileSync;
  uninstall();
  const original = fs.writeFileSync;
  uninstall = installConnectionWatch();
  expect([original === before, fs.writeFileSync === original]).toEqual([false, false]);
  expect(Object.getOwnPropertySymbols(fs.write)).toEqual(Object.getOwnPropertySymbols(fs.read));
  expect(Object.getOwnPropertySymbols(fs.write)).toHaveLength(1);
});

it('marks every run for a file that was changed before it, outside of all', async () => {
  const path = inFolder('set-up.log');
  fs.writeFileSync(path, 'x');
  expect(await marksOf(() => undefined)).toContain(`/connections/before the run: file ${path}`);
});

it('marks a run that is one call of a client as well, and one that goes on while it comes', async () => {
  const before = inFolder('before-a-call');
  const beside = inFolder('beside-a-call');
  fs.writeFileSync(before, 'x');
  recorded.length = 0;
  const calling = boundary('model', 'chat', async () => void (await Promise.resolve()))();
  fs.writeFileSync(beside, 'x');
  await calling;
  expect(recorded.flatMap(({ lossy }) => lossy)).toEqual(
    expect.arrayContaining([
      `/connections/before the run: file ${before}`,
      `/connections/beside the run: file ${beside}`,
    ]),
  );
});

it('marks the run for what code inside does behind its own end, and none that is over', async () => {
  const behind = inFolder('behind');
  const over = inFolder('over');
  let late: Promise<void> | undefined;
  const inner = boundary('agent', 'inner', (path: string) => {
    late = Promise.resolve().then(() => fs.writeFileSync(path, 'x'));
  });
  const marks = await marksOf(async () => {
    inner(behind);
    await late;
  });
  expect(marks).toContain(`/connections/file ${behind}`);
  expect((await marksOf(() => inner(over))).join()).not.toContain(over);
});

// Last: what is changed outside of runs here counts for all of this process.
it('names what the run itself changes first, however many files were changed before it', async () => {
  for (let index = 0; index < 2 * FILES_NAMED_MAX; index += 1) fs.writeFileSync(inFolder(`start-${index}`), 'x');
  const own = Array.from({ length: FILES_NAMED_MAX }, (_, index) => inFolder(`own-${index}`));
  const marks = await marksOf(() => {
    for (const path of own) fs.writeFileSync(path, 'x');
  });
  expect(marks.slice(0, own.length)).toEqual(own.map((path) => `/connections/file ${path}`));
  expect(marks.at(-1)).toBe(`/connections/more than ${FILES_NAMED_MAX} files outside of the run`);
});
