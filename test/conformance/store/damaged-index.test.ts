import { closeSync, cpSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { verifyStore } from '@reenact/collector';
import { createCollectorClient } from '@reenact/collector-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crossingSpan, send } from '../query/run-corpus.ts';
import { Testbed } from '../testbed.ts';

const PAGE_BYTES = 4096;
const testbed = new Testbed();
let sound: string;

/** A store with two runs, no process on it, and everything of its index in the file itself. */
beforeAll(async () => {
  const { httpUrl, dataDirectory, stop } = await testbed.start();
  for (const trace of [1, 2]) await send(httpUrl, [crossingSpan({ trace, span: trace })]);
  expect((await createCollectorClient({ url: httpUrl }).listRuns()).runs).toHaveLength(2);
  await stop();
  expect(verifyStore(dataDirectory).problems).toEqual([]);
  sound = dataDirectory;
});
afterAll(() => testbed.dispose());

/** Writes nonsense into every page of an index from one on, to its end: that is where the rows of a page are that has few. */
function damage(directory: string, fromPage: number): void {
  const path = join(directory, 'index.sqlite');
  const file = openSync(path, 'r+');
  for (let at = fromPage * PAGE_BYTES; at < statSync(path).size; at += PAGE_BYTES)
    writeSync(file, Buffer.alloc(PAGE_BYTES - 50, 0xff), 0, PAGE_BYTES - 50, at + 50);
  closeSync(file);
}

async function copyOfSound(): Promise<string> {
  const directory = await testbed.directory();
  cpSync(sound, directory, { recursive: true });
  return directory;
}

describe.each([0, 1, 6])('an index that is damaged from page %s on', (fromPage) => {
  it('is what the check finds, beside files that are sound, and is made again', async () => {
    const directory = await copyOfSound();
    damage(directory, fromPage);
    const report = verifyStore(directory);
    expect(report.problems.map(({ part }) => part)).toContain('index');
    expect(report.problems.map(({ what }) => what).join()).toContain('--rebuild-index');
    expect([report.items, report.frames]).toEqual([2, 2]);
    expect(verifyStore(directory, { rebuildIndex: true }).problems).toEqual([]);
    const { httpUrl } = await testbed.start({ dataDirectory: directory });
    expect((await createCollectorClient({ url: httpUrl }).listRuns()).runs).toHaveLength(2);
  });
});

describe('a collector whose index is damaged', () => {
  it('does not start on it, and says how it is made again', async () => {
    const directory = await copyOfSound();
    damage(directory, 0);
    await expect(testbed.start({ dataDirectory: directory })).rejects.toMatchObject({
      code: 'store-failed',
      next: expect.stringContaining('reenact store verify --rebuild-index') as string,
    });
  });
});

describe('an index that lacks a table', () => {
  it('is what the check finds, and is made again', async () => {
    const directory = await copyOfSound();
    const database = new DatabaseSync(join(directory, 'index.sqlite'));
    database.exec('DROP TABLE item');
    database.close();
    expect(verifyStore(directory).problems.map(({ part, what }) => `${part}: ${what}`)).toContainEqual(
      expect.stringMatching(/^index: .*--rebuild-index/),
    );
    expect(verifyStore(directory, { rebuildIndex: true }).problems).toEqual([]);
  });
});
