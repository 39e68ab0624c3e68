import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore, verifyStore } from '@reenact/collector';
import { afterEach, describe, expect, it } from 'vitest';
import { makeSpan, spanIdOf, Testbed, traceIdOf } from '../testbed.ts';
import { sliceSpans } from './slices.ts';

const TENANT = 'default';
const RUNS = [1, 2, 3, 4, 5, 6];
const testbed = new Testbed();
afterEach(() => testbed.dispose());

/** Six runs in the log, each in a frame of its own; a byte of the second and of the fifth is another. Gives the path of the log. */
async function damagedStore(): Promise<{ readonly directory: string; readonly log: string }> {
  const directory = await testbed.directory();
  const store = await openStore(directory);
  for (const run of RUNS)
    await store.appendSpans(TENANT, sliceSpans(makeSpan({ traceId: traceIdOf(run), spanId: spanIdOf(run) })), []);
  await store.close();
  const [name = ''] = readdirSync(join(directory, 'log'));
  const log = join(directory, 'log', name);
  const bytes = readFileSync(log);
  for (const run of [2, 5]) {
    const at = bytes.indexOf(Buffer.from(spanIdOf(run), 'hex'));
    bytes[at] = (bytes[at] ?? 0) ^ 1;
  }
  writeFileSync(log, bytes);
  return { directory, log };
}

const problemsOf = (directory: string, rebuildIndex = false) =>
  verifyStore(directory, { rebuildIndex }).problems.map(({ part, where, what }) => [part, where, what] as const);

describe('a log of which some bytes are others', () => {
  it('is named with where they are, and with what was in these frames alone', async () => {
    const { directory, log } = await damagedStore();
    const damaged = ['log', expect.stringContaining(`${log} at byte `), 'it is damaged'];
    const missing = (frame: number) => ['log', expect.stringContaining(log), `frame ${frame} is missing before it`];
    const lost = (item: number) => ['index', `item ${item}`, expect.stringContaining('not where the index says')];
    const rows = ['index', join(directory, 'index.sqlite'), '2 rows of "frame" lead to nothing'];
    expect(problemsOf(directory)).toEqual([damaged, missing(2), damaged, missing(5), lost(2), lost(5), rows]);
  });

  it('loses no more than that where the index is made again, and the check says so', async () => {
    const { directory, log } = await damagedStore();
    const named = [
      ['log', expect.stringContaining(`${log} at byte `)],
      ['log', expect.stringContaining(log)],
    ];
    const rebuilt = problemsOf(directory, true).filter(([part]) => part !== 'index');
    expect(rebuilt.map(([part, where]) => [part, where])).toEqual([...named, ...named]);
    expect(problemsOf(directory).filter(([, where]) => where.startsWith('item '))).toEqual([]);
    const store = await openStore(directory);
    const counts = await Promise.all(RUNS.map(async (run) => (await store.readTrace(TENANT, traceIdOf(run))).length));
    await store.close();
    expect(counts).toEqual([1, 0, 1, 1, 0, 1]);
  });
});
