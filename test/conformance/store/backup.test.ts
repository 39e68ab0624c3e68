import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore, runStoreRequest, verifyStore } from '@reenact/collector';
import { afterEach, describe, expect, it } from 'vitest';
import { makeSpan, postSpans, spanIdOf, Testbed, traceIdOf } from '../testbed.ts';
import { sliceSpans } from './slices.ts';

const TENANT = 'default';

function spanOf(number: number) {
  return makeSpan({ traceId: traceIdOf(number % 4), spanId: spanIdOf(number), name: `span ${number} `.repeat(50) });
}

/** A directory with settled and unsettled spans. */
async function filled(testbed: Testbed): Promise<string> {
  const directory = await testbed.directory();
  const store = await openStore(directory);
  for (let number = 1; number <= 12; number += 1) {
    await store.appendSpans(TENANT, sliceSpans(spanOf(number)), []);
    if (number % 5 === 0) await store.settle();
  }
  await store.close();
  return directory;
}

/** Changes one bit of the newest file of a folder. */
function damage(directory: string, folder: string, at: (length: number) => number): void {
  const names = readdirSync(join(directory, folder)).filter((entry) => !entry.startsWith('free-'));
  const name = names.sort().at(-1) ?? '';
  const path = join(directory, folder, name);
  const bytes = readFileSync(path);
  bytes[at(bytes.length)] = (bytes[at(bytes.length)] ?? 0) ^ 0x40;
  writeFileSync(path, bytes);
}

describe('a backup', () => {
  const testbed = new Testbed();
  afterEach(() => testbed.dispose());

  it('taken under load through the running collector holds what was acknowledged before it', async () => {
    const collector = await testbed.start();
    for (let number = 1; number <= 20; number += 1) await (await postSpans(collector.httpUrl, [spanOf(number)])).text();
    const target = join(await testbed.directory(), 'copy');
    const isDone = runStoreRequest(collector.dataDirectory, { type: 'backup', directory: target }).then(() => true);
    for (let number = 21; ; number += 1) {
      const sent = postSpans(collector.httpUrl, [spanOf(number)]).then(() => false);
      if (await Promise.race([isDone, sent])) break;
    }
    expect(verifyStore(target).problems).toEqual([]);
    const copy = await openStore(target);
    expect((await copy.stats()).spans).toBeGreaterThanOrEqual(20);
    const taken = runStoreRequest(collector.dataDirectory, { type: 'backup', directory: target });
    await expect(taken).rejects.toMatchObject({ code: 'bad-argument', where: target });
    await copy.close();
  });

  it('can be asked for without a collector, as deletions can', async () => {
    const directory = await filled(testbed);
    const target = join(await testbed.directory(), 'copy');
    await runStoreRequest(directory, { type: 'backup', directory: target });
    const deleted = await runStoreRequest(directory, { type: 'delete-trace', tenant: TENANT, id: spanIdOf(4) });
    expect(deleted).toEqual({ deletedItems: 3 });
    expect(verifyStore(directory)).toMatchObject({ items: 9, erased: 3, problems: [] });
    expect(verifyStore(target)).toMatchObject({ items: 12, erased: 0, problems: [] });
  });
});

describe('the copying of a backup', () => {
  const testbed = new Testbed();
  afterEach(() => testbed.dispose());

  it('is copied while everything else goes on: nobody waits for its disk', async () => {
    const store = await openStore(await filled(testbed));
    const target = join(await testbed.directory(), 'copy');
    let turns = 0;
    let isDone = false;
    const turn = (): void => {
      turns += 1;
      if (!isDone) setImmediate(turn);
    };
    turn();
    await store.backup(target);
    isDone = true;
    expect(turns).toBeGreaterThan(50);
    await store.close();
  });

  it('that fails says why and leaves nothing that could be taken for one', async () => {
    const directory = await filled(testbed);
    const above = await testbed.directory();
    const target = join(above, 'copy');
    const store = await openStore(directory);
    mkdirSync(join(directory, 'packs', 'no-pack'));
    await expect(store.backup(target)).rejects.toMatchObject({
      code: 'store-failed',
      message: expect.stringContaining('The backup could not be written'),
    });
    expect(readdirSync(above)).toEqual([]);
    rmdirSync(join(directory, 'packs', 'no-pack'));
    await store.backup(target);
    expect(verifyStore(target)).toMatchObject({ items: 12, problems: [] });
    await store.close();
  });

  it('is refused within the data directory, and beside one that was broken off', async () => {
    const directory = await filled(testbed);
    const store = await openStore(directory);
    const refused = (message: string) => ({ code: 'bad-argument', message: expect.stringContaining(message) });
    await expect(store.backup(join(directory, 'a', 'copy'))).rejects.toMatchObject(refused('data directory itself'));
    const target = join(await testbed.directory(), 'copy');
    mkdirSync(`${target}.part`);
    await expect(store.backup(target)).rejects.toMatchObject(refused('broken off'));
    await store.close();
  });
});

describe('verify', () => {
  const testbed = new Testbed();
  afterEach(() => testbed.dispose());

  it('finds nothing wrong with what was written, and counts it', async () => {
    const directory = await filled(testbed);
    const report = verifyStore(directory);
    expect(report).toMatchObject({ items: 12, frames: 12, erased: 0, problems: [] });
    expect(verifyStore(directory).chainHead).toBe(report.chainHead);
    expect(verifyStore(directory, { rebuildIndex: true })).toEqual(report);
  });

  it.each([
    ['packs', 'pack'],
    ['chain', 'chain'],
    ['log', 'index'],
  ] as const)('finds one changed bit in %s', async (folder, part) => {
    const directory = await filled(testbed);
    damage(directory, folder, (length) => (folder === 'log' ? 200 : length - 40));
    const { problems } = verifyStore(directory);
    expect(problems.map((problem) => problem.part)).toContain(part);
  });

  it('finds a pack that is gone', async () => {
    const directory = await filled(testbed);
    const [name = ''] = readdirSync(join(directory, 'packs'));
    rmSync(join(directory, 'packs', name));
    expect(verifyStore(directory).problems.length).toBeGreaterThan(0);
  });

  it('keeps what can still be read when the index is made again over damage', async () => {
    const directory = await filled(testbed);
    damage(directory, 'packs', (length) => length - 40);
    const report = verifyStore(directory, { rebuildIndex: true });
    expect(report.problems.length).toBeGreaterThan(0);
    const store = await openStore(directory);
    const lengths = await Promise.all([0, 1, 2, 3].map((trace) => store.readTrace(TENANT, traceIdOf(trace))));
    expect(lengths.flat().length).toBeGreaterThanOrEqual(5);
    expect(lengths.flat().length).toBeLessThan(12);
    await store.close();
  });

  it('never drops a damaged log unseen, and goes on without what cannot be read when asked to', async () => {
    const directory = await testbed.directory();
    const written = await openStore(directory);
    for (let number = 1; number <= 9; number += 1) await written.appendSpans(TENANT, sliceSpans(spanOf(number)), []);
    await written.close();
    damage(directory, 'log', () => 3000);
    const damaged = await openStore(directory);
    await expect(damaged.settle()).rejects.toMatchObject({
      code: 'store-failed',
      where: expect.stringContaining('.log'),
    });
    const readable = await Promise.allSettled([0, 1, 2, 3].map((trace) => damaged.readTrace(TENANT, traceIdOf(trace))));
    expect(readable.map(({ status }) => status).sort()).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    await damaged.close();
    expect(verifyStore(directory, { rebuildIndex: true }).problems.length).toBeGreaterThan(0);
    const salvaged = await openStore(directory);
    await salvaged.settle();
    const left = await Promise.all([0, 1, 2, 3].map((trace) => salvaged.readTrace(TENANT, traceIdOf(trace))));
    expect(left.flat()).toHaveLength(8);
    await salvaged.close();
  });
});

describe('verify of a directory that it cannot have', () => {
  const testbed = new Testbed();
  afterEach(() => testbed.dispose());

  it('says that the directory is in use, or not there', async () => {
    const { dataDirectory } = await testbed.start();
    const next = expect.stringContaining('reenact store backup') as string;
    expect(() => verifyStore(dataDirectory)).toThrow(expect.objectContaining({ code: 'store-failed', next }));
    expect(() => verifyStore(join(dataDirectory, 'nothing'))).toThrow(expect.objectContaining({ code: 'not-found' }));
  });
});
