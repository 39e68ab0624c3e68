import { copyFile, cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openStore } from '@reenact/collector';
import { afterEach, describe, expect, it } from 'vitest';
import { makeSpan, Testbed, traceIdOf } from '../testbed.ts';
import { sliceSpans } from './slices.ts';
import { describeStore } from './suite.ts';

describeStore('log', openStore);

describe('the data directory of the log store', () => {
  const testbed = new Testbed();
  afterEach(() => testbed.dispose());

  it('says that another process uses it, as long as that lives', async () => {
    const directory = await testbed.directory();
    const store = await openStore(directory);
    await expect(openStore(directory)).rejects.toMatchObject({
      code: 'store-failed',
      message: 'Another process uses this data directory.',
    });
    await store.close();
    await (await openStore(directory)).close();
  });

  it('says that it is damaged', async () => {
    const directory = await testbed.directory();
    await writeFile(join(directory, 'recordings.sqlite'), 'this is not a database, only some text'.repeat(100));
    await expect(openStore(directory)).rejects.toMatchObject({
      code: 'store-failed',
      message: expect.stringContaining('damaged'),
    });
  });

  it('says that it is no directory', async () => {
    const file = join(await testbed.directory(), 'file');
    await writeFile(file, '');
    await expect(openStore(file)).rejects.toMatchObject({ code: 'store-failed', where: file });
  });

  it('refuses a newer format and leaves it as it is', async () => {
    const directory = await testbed.directory();
    await (await openStore(directory)).close();
    const database = new DatabaseSync(join(directory, 'recordings.sqlite'));
    database.exec('INSERT INTO format_version VALUES (4)');
    database.close();
    await expect(openStore(directory)).rejects.toMatchObject({ code: 'unsupported' });
  });

  it('recovers what was acknowledged from the log alone', async () => {
    const directory = await testbed.directory();
    const store = await openStore(directory);
    await store.appendSpans('default', sliceSpans(makeSpan()), []);
    const copy = await testbed.directory();
    await copyFile(join(directory, 'recordings.sqlite'), join(copy, 'recordings.sqlite'));
    await cp(join(directory, 'log'), join(copy, 'log'), { recursive: true });
    const recovered = await openStore(copy);
    expect((await recovered.stats()).spans).toBe(1);
    expect(await recovered.readTrace('default', traceIdOf(1))).toHaveLength(1);
    await recovered.close();
    await store.close();
    await rm(copy, { recursive: true });
  });
});
