import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '@reenact/collector';
import { afterEach, describe, expect, it } from 'vitest';
import { makeSpan, spanIdOf, Testbed, traceIdOf } from '../testbed.ts';
import { sliceSpans } from './slices.ts';

const TENANT = 'default';
const testbed = new Testbed();
afterEach(() => testbed.dispose());

const runOf = (number: number) => sliceSpans(makeSpan({ traceId: traceIdOf(number), spanId: spanIdOf(number) }));
const displaced = expect.objectContaining({
  code: 'store-failed',
  retryable: true,
  message: expect.stringContaining('removed or moved') as string,
}) as unknown;

describe('a data directory that somebody takes away while it is in use', () => {
  it.each([
    ['moved, and an empty one put in its place', true],
    ['moved, and another store put in its place', false],
  ])('acknowledges nothing that nobody would find: %s', async (_, isEmpty) => {
    const above = await testbed.directory();
    const [directory, elsewhere] = [join(above, 'data'), join(above, 'elsewhere')];
    const store = await openStore(directory);
    await store.appendSpans(TENANT, runOf(1), []);
    renameSync(directory, elsewhere);
    if (isEmpty) mkdirSync(directory);
    const other = isEmpty ? undefined : await openStore(directory);
    await expect(store.appendSpans(TENANT, runOf(2), [])).rejects.toEqual(displaced);
    await expect(store.checkAppend()).rejects.toEqual(displaced);
    await expect(store.check()).rejects.toEqual(displaced);
    await expect(store.settle()).rejects.toEqual(displaced);
    await other?.appendSpans(TENANT, runOf(3), []);
    await other?.close();
    rmSync(directory, { recursive: true });
    renameSync(elsewhere, directory);
    await store.appendSpans(TENANT, runOf(4), []);
    await store.close();
    const again = await openStore(directory);
    for (const [run, spans] of [
      [1, 1],
      [2, 0],
      [4, 1],
    ] as const)
      expect(await again.readTrace(TENANT, traceIdOf(run))).toHaveLength(spans);
    await again.close();
  });

  it('calls nothing of it damaged, which a queue would give up for good, and reads on once it is back', async () => {
    const above = await testbed.directory();
    const [directory, elsewhere] = [join(above, 'data'), join(above, 'elsewhere')];
    const before = await openStore(directory);
    await before.appendSpans(TENANT, runOf(1), ['backend']);
    await before.close();
    const store = await openStore(directory);
    renameSync(directory, elsewhere);
    for (const isThere of [false, true]) {
      if (isThere) mkdirSync(join(directory, 'log'), { recursive: true });
      await expect(store.peekQueue('backend', 10, 1e6)).rejects.toEqual(displaced);
      await expect(store.readTrace(TENANT, traceIdOf(1))).rejects.toEqual(displaced);
    }
    rmSync(directory, { recursive: true });
    renameSync(elsewhere, directory);
    expect(await store.peekQueue('backend', 10, 1e6)).toMatchObject({ entries: [{ queueId: 1 }] });
    expect(await store.readTrace(TENANT, traceIdOf(1))).toHaveLength(1);
    await store.close();
  });
});

describe('a data directory of which nothing is at its place while it is in use', () => {
  it('says so where nothing is at its place, to who sends and to who asks whether it serves, until it is back', async () => {
    const above = await testbed.directory();
    const [directory, elsewhere] = [join(above, 'data'), join(above, 'elsewhere')];
    const store = await openStore(directory);
    renameSync(directory, elsewhere);
    await expect(store.appendSpans(TENANT, runOf(1), [])).rejects.toEqual(displaced);
    await expect(store.check()).rejects.toEqual(displaced);
    renameSync(elsewhere, directory);
    await store.check();
    await store.appendSpans(TENANT, runOf(1), []);
    await store.close();
  });

  it('says nothing of it while all its files are at their place: on some file systems the number of a directory changes', async () => {
    const above = await testbed.directory();
    const [directory, another] = [join(above, 'data'), join(above, 'another')];
    const store = await openStore(directory);
    await store.appendSpans(TENANT, runOf(1), []);
    mkdirSync(another);
    for (const name of readdirSync(directory)) renameSync(join(directory, name), join(another, name));
    rmdirSync(directory);
    renameSync(another, directory);
    await store.check();
    await store.appendSpans(TENANT, runOf(2), []);
    await store.close();
  });

  it('says there of a file that is gone what is damaged, and not that all may come back', async () => {
    const above = await testbed.directory();
    const [directory, another] = [join(above, 'data'), join(above, 'another')];
    const before = await openStore(directory);
    await before.appendSpans(TENANT, runOf(1), []);
    await before.settle();
    await before.close();
    const store = await openStore(directory);
    mkdirSync(another);
    for (const name of readdirSync(directory)) renameSync(join(directory, name), join(another, name));
    rmdirSync(directory);
    renameSync(another, directory);
    const packs = join(directory, 'packs');
    for (const name of readdirSync(packs)) rmSync(join(packs, name));
    const damaged = { code: 'store-failed', message: expect.stringContaining('is damaged') as string };
    await expect(store.readTrace(TENANT, traceIdOf(1))).rejects.toMatchObject(damaged);
    await store.close();
  });

  it('says of a path that cannot be followed why, and not that nothing is there', async () => {
    const above = await testbed.directory();
    const [directory, elsewhere] = [join(above, 'data'), join(above, 'elsewhere')];
    const store = await openStore(directory);
    renameSync(directory, elsewhere);
    symlinkSync(directory, directory);
    const message = expect.stringContaining('ELOOP') as string;
    await expect(store.check()).rejects.toMatchObject({ code: 'store-failed', message });
    unlinkSync(directory);
    renameSync(elsewhere, directory);
    await store.check();
    await store.close();
  });

  it('acknowledges nothing into a log that was removed', async () => {
    const directory = await testbed.directory();
    const store = await openStore(directory);
    await store.appendSpans(TENANT, runOf(1), []);
    rmSync(join(directory, 'log'), { recursive: true });
    await expect(store.appendSpans(TENANT, runOf(2), [])).rejects.toEqual(displaced);
    await store.close();
  });
});
