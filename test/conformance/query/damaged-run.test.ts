import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '@reenact/collector';
import { createCollectorClient } from '@reenact/collector-client';
import type { RunList } from '@reenact/trace-model/collector-api';
import { afterEach, describe, expect, it } from 'vitest';
import { sliceSpans } from '../store/slices.ts';
import { eventually, makeSpan, spanIdOf, Testbed, traceIdOf } from '../testbed.ts';

const RUNS = [1, 2, 3, 4];
const testbed = new Testbed();
afterEach(() => testbed.dispose());

/** Runs of one span, each in a block of its own. */
async function filled(): Promise<string> {
  const directory = await testbed.directory();
  const store = await openStore(directory);
  for (const run of RUNS) {
    const span = makeSpan({ traceId: traceIdOf(run), spanId: spanIdOf(run), name: `step ${run}` });
    await store.appendSpans('default', sliceSpans(span), []);
  }
  await store.settle();
  await store.close();
  return directory;
}

const packOf = (directory: string) => join(directory, 'packs', readdirSync(join(directory, 'packs'))[0] ?? '');

/** Turns the last byte of the only pack, which is of the last block in it. */
function damageLastBlock(directory: string): void {
  const bytes = readFileSync(packOf(directory));
  const last = bytes.length - 1;
  bytes.writeUInt8(bytes.readUInt8(last) ^ 0xff, last);
  writeFileSync(packOf(directory), bytes);
}

/** What a collector lists that has to summarise every run anew. */
async function listAnew(directory: string): Promise<RunList['runs']> {
  rmSync(join(directory, 'search.sqlite'));
  const { httpUrl } = await testbed.start({ dataDirectory: directory });
  const client = createCollectorClient({ url: httpUrl });
  const isWhole = ({ unsummarisedRuns }: RunList) => unsummarisedRuns === undefined;
  const list = await eventually(
    'all summaries',
    () => client.listRuns().then((found) => isWhole(found) && found),
    60_000,
  );
  return list.runs;
}

describe('a run whose bytes are damaged', () => {
  it('is listed as one that cannot be read, and keeps no other from being summarised', async () => {
    const directory = await filled();
    damageLastBlock(directory);
    const runs = await listAnew(directory);
    expect(runs.map(({ name }) => name).sort()).toEqual(['step 1', 'step 2', 'step 3', 'unreadable']);
    const lost = runs.find(({ name }) => name === 'unreadable');
    expect(lost).toMatchObject({ traceId: traceIdOf(4), rootSpanId: spanIdOf(4), spanCount: 1, status: 'error' });
    expect(lost?.replayability).toMatchObject({ verdict: 'cold', missing: [{ cause: 'damaged' }] });
  });

  it('is listed, too, where the file that it was in is gone', async () => {
    const directory = await filled();
    rmSync(packOf(directory));
    const store = await openStore(directory);
    await store.appendSpans('default', sliceSpans(makeSpan({ traceId: traceIdOf(9), name: 'step 9' })), []);
    await store.close();
    const runs = await listAnew(directory);
    expect(runs.map(({ name }) => name)).toEqual(['step 9', ...RUNS.map(() => 'unreadable')]);
  });
});
