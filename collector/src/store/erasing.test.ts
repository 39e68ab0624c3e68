import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeTracesProtobuf, type SpanSlice, walkTracesProtobuf } from '@reenact/otlp';
import { ReenactError } from '@reenact/trace-model';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unreadableRun } from '../query/run-summary.ts';
import { systemDisk } from './disk.ts';
import { openStore } from './log-store.ts';
import { listPacks, PackReader } from './pack/pack-file.ts';
import { toSearchableTexts } from './search/searchable-texts.ts';
import type { Store } from './store.ts';
import { verifyStore } from './verify-store.ts';

const TENANT = 'default';

/** One word a run that no other begins like: an index writes what neighbours share only once. */
const ANIMALS = [
  '',
  'albatross',
  'buffalo',
  'crocodile',
  'dromedary',
  'elephant',
  'flamingo',
  'giraffe',
  'hippopotamus',
];

function traceIdOf(number: number): string {
  return `a${number.toString(16).padStart(31, '0')}`;
}

function sliceOf(trace: number, content: string): readonly SpanSlice[] {
  const span = {
    traceId: traceIdOf(trace),
    spanId: `b${trace.toString(16).padStart(15, '0')}`,
    name: content,
    kind: 1,
    startTimeUnixNano: '1763700000000000001',
    endTimeUnixNano: '1763700001000000002',
  };
  const walked = walkTracesProtobuf(encodeTracesProtobuf({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }));
  return walked.ok ? walked.spans : [];
}

/** Files of a data directory that hold a text, packs looked at as they decompress, dictionaries included. */
function filesWith(directory: string, text: string): string[] {
  const wanted = Buffer.from(text);
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const plain = files
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(wanted));
  const packed = listPacks(systemDisk, directory).filter((pack) => {
    const reader = new PackReader(systemDisk, directory, pack);
    const blocks = [...reader.blocks()];
    reader.close();
    return blocks.some((block) => 'raw' in block && block.raw.includes(wanted));
  });
  return [...plain, ...packed.map((pack) => `pack ${pack}`)];
}

/** Eight runs, four of them settled; what they share is what a dictionary would hold. */
async function fill(store: Store): Promise<void> {
  const common = 'the same words in every run, again and again. '.repeat(20);
  for (let trace = 1; trace <= 8; trace += 1) {
    await store.appendSpans(TENANT, sliceOf(trace, `${common} secret-of-${trace} `.repeat(4)), ['jaeger']);
    if (trace === 4) await store.settle();
  }
}

describe('erasing', () => {
  let directory = '';
  let store: Store;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'reenact-erase-'));
    store = await openStore(directory);
  });
  afterEach(async () => {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('leaves no byte of a trace in log, packs, index or free segments, and every other trace whole', async () => {
    await fill(store);
    expect(filesWith(directory, 'secret-of-2').length).toBeGreaterThan(0);
    expect(filesWith(directory, 'secret-of-7').length).toBeGreaterThan(0);
    expect(
      await store.erase([
        [TENANT, traceIdOf(2)],
        [TENANT, traceIdOf(7)],
        [TENANT, traceIdOf(99)],
      ]),
    ).toBe(2);
    expect(filesWith(directory, 'secret-of-2')).toEqual([]);
    expect(filesWith(directory, 'secret-of-7')).toEqual([]);
    for (const trace of [1, 3, 4, 5, 6, 8]) expect(await store.readTrace(TENANT, traceIdOf(trace))).toHaveLength(1);
    expect(await store.readTrace(TENANT, traceIdOf(2))).toEqual([]);
    expect((await store.queueDepths()).get('jaeger')).toBe(6);
    await store.close();
    expect(verifyStore(directory)).toMatchObject({ items: 6, erased: 2, problems: [] });
  });

  it('stays erased when the index is made again, and takes the same trace anew', async () => {
    await fill(store);
    await store.erase([[TENANT, traceIdOf(2)]]);
    await store.close();
    expect(verifyStore(directory, { rebuildIndex: true })).toMatchObject({ items: 7, problems: [] });
    store = await openStore(directory);
    expect(await store.readTrace(TENANT, traceIdOf(2))).toEqual([]);
    await store.appendSpans(TENANT, sliceOf(2, 'came later'), []);
    await store.settle();
    expect(await store.readTrace(TENANT, traceIdOf(2))).toHaveLength(1);
  });

  it('erases a user and a tenant, and nobody else', async () => {
    await fill(store);
    await store.appendSpans('other', sliceOf(1, 'secret-of-other'), []);
    for (const trace of await store.staleTraces(100)) {
      const users = trace.tenant === TENANT && trace.traceId === traceIdOf(3) ? ['ada'] : ['bob'];
      const run = unreadableRun(trace.traceId, '', 1, new ReenactError('internal', 'not the matter here'));
      const text = `the ${ANIMALS[Number.parseInt(trace.traceId.slice(1), 16)]} in the room`;
      const texts = toSearchableTexts([{ spanId: '', part: 'input', text }]);
      await store.writeSummaries([{ trace, run: { ...run, facets: { user: users }, texts } }]);
    }
    expect(filesWith(directory, 'crocodile')).not.toEqual([]);
    expect((await store.listRuns(TENANT, { text: 'crocodile' }, 9)).runs).toHaveLength(1);
    expect(await store.eraseUser(TENANT, 'ada')).toBe(1);
    expect((await store.listRuns(TENANT, { text: 'crocodile' }, 9)).runs).toEqual([]);
    expect(filesWith(directory, 'crocodile')).toEqual([]);
    expect((await store.listRuns(TENANT, { text: 'elephant' }, 9)).runs).toHaveLength(1);
    expect(filesWith(directory, 'secret-of-3')).toEqual([]);
    expect(await store.eraseTenant(TENANT)).toBe(7);
    expect(filesWith(directory, 'secret-of-1')).toEqual([]);
    expect(filesWith(directory, 'elephant')).toEqual([]);
    expect(await store.readTrace('other', traceIdOf(1))).toHaveLength(1);
    expect(await store.stats()).toMatchObject({ spans: 1, traces: 1 });
  });
});
