import { copyFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openSqliteStore } from '@reenact/collector';
import { afterEach, describe, expect, it } from 'vitest';
import { makeSpan, Testbed } from '../testbed.ts';
import { sliceSpans } from './slices.ts';
import { describeStore } from './suite.ts';

describeStore('sqlite', async (directory) => openSqliteStore(directory));

describe('the data directory of the sqlite store', () => {
  const testbed = new Testbed();
  afterEach(() => testbed.dispose());

  it('says that another process uses it, as long as that lives', async () => {
    const directory = await testbed.directory();
    const store = openSqliteStore(directory);
    expect(() => openSqliteStore(directory)).toThrow(
      expect.objectContaining({ code: 'store-failed', message: 'Another process uses this data directory.' }),
    );
    await store.close();
    await openSqliteStore(directory).close();
  });

  it('says that it is damaged', async () => {
    const directory = await testbed.directory();
    await writeFile(join(directory, 'recordings.sqlite'), 'this is not a database, only some text'.repeat(100));
    expect(() => openSqliteStore(directory)).toThrow(
      expect.objectContaining({ code: 'store-failed', message: expect.stringContaining('damaged') }),
    );
  });

  it('says that it is no directory', async () => {
    const file = join(await testbed.directory(), 'file');
    await writeFile(file, '');
    expect(() => openSqliteStore(file)).toThrow(expect.objectContaining({ code: 'store-failed', where: file }));
  });

  it('refuses a newer format and leaves it as it is', async () => {
    const directory = await testbed.directory();
    await openSqliteStore(directory).close();
    const database = new DatabaseSync(join(directory, 'recordings.sqlite'));
    database.exec('INSERT INTO format_version VALUES (2)');
    database.close();
    expect(() => openSqliteStore(directory)).toThrow(expect.objectContaining({ code: 'unsupported' }));
  });

  it('recovers what was acknowledged from the write-ahead log alone', async () => {
    const directory = await testbed.directory();
    const store = openSqliteStore(directory);
    await store.appendSpans('default', sliceSpans(makeSpan()), []);
    const copy = await testbed.directory();
    for (const file of ['recordings.sqlite', 'recordings.sqlite-wal']) {
      await copyFile(join(directory, file), join(copy, file));
    }
    const recovered = openSqliteStore(copy);
    expect((await recovered.stats()).spans).toBe(1);
    await recovered.close();
    await store.close();
    await rm(copy, { recursive: true });
  });
});
