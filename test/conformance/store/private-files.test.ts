import { chmodSync, cpSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openStore, runStoreRequest } from '@reenact/collector';
import { afterEach, describe, expect, it } from 'vitest';
import { makeSpan, Testbed } from '../testbed.ts';
import { sliceSpans } from './slices.ts';

/** Files and folders below a directory, itself included, that anybody but their owner may read. */
function readableByOthers(directory: string): string[] {
  const below = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return ['', ...below].filter((name) => (statSync(join(directory, name)).mode & 0o077) !== 0);
}

describe.skipIf(process.platform === 'win32')('what a store writes', () => {
  const testbed = new Testbed();
  afterEach(() => testbed.dispose());

  it("is its owner's alone, while it runs, after it, and in a backup", async () => {
    const directory = join(await testbed.directory(), 'below', 'data');
    const store = await openStore(directory, { keepsText: true });
    await store.appendSpans('default', sliceSpans(makeSpan()), []);
    await store.settle();
    expect(readdirSync(directory)).toEqual(expect.arrayContaining(['index.sqlite-wal', 'search.sqlite-wal']));
    expect(readableByOthers(directory)).toEqual([]);
    await store.close();
    expect(readableByOthers(directory)).toEqual([]);
    const backup = join(await testbed.directory(), 'backup');
    await runStoreRequest(directory, { type: 'backup', directory: backup });
    expect(readableByOthers(backup)).toEqual([]);
  });

  it("becomes its owner's alone where a first version left it to everybody, and stays a group's", async () => {
    const directory = join(await testbed.directory(), 'data');
    const store = await openStore(directory, { keepsText: true });
    await store.appendSpans('default', sliceSpans(makeSpan()), []);
    const left = join(await testbed.directory(), 'left');
    cpSync(directory, left, { recursive: true });
    await store.close();
    const databases = readdirSync(left).filter((name) => name.includes('.sqlite'));
    expect(databases).toContain('index.sqlite-wal');
    for (const name of databases) chmodSync(join(left, name), name.startsWith('search') ? 0o640 : 0o644);
    const again = await openStore(left);
    const ofOthers = readableByOthers(left);
    await again.close();
    expect(ofOthers).toContain('search.sqlite');
    expect(ofOthers.filter((name) => /^(index|recordings)/.test(name))).toEqual([]);
  });
});
