import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { encodeTracesProtobuf, type SpanSlice, walkTracesProtobuf } from '@reenact/otlp';
import { ReenactError } from '@reenact/trace-model';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { unreadableRun } from '../query/summaries/run-summary.ts';
import { filesWith } from '../testdata/files-with.ts';
import { INDEX_FILE } from './database/schema.ts';
import { EXPIRED_BYTES_STAY_MS, SETTLE_AGE_MS } from './limits.ts';
import { openStore } from './open-store.ts';
import { SEARCH_FILE } from './search/open-search-file.ts';
import { toSearchableTexts } from './search/searchable-texts.ts';
import type { Store } from './store.ts';
import { fullDisk } from './store-error.ts';
import { verifyStore } from './verify/verify-store.ts';
import type { WriterLink } from './worker/calls.ts';

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

/** Eight runs, four of them settled; what they share is what a dictionary would hold. */
async function fill(store: Store): Promise<void> {
  const common = 'the same words in every run, again and again. '.repeat(20);
  for (let trace = 1; trace <= 8; trace += 1) {
    await store.appendSpans(TENANT, sliceOf(trace, `${common} secret-of-${trace} `.repeat(4)), ['jaeger']);
    if (trace === 4) await store.settle();
  }
}

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

describe('erasing', () => {
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

const ALL = { graceMs: 0, ordinaryMs: 0, specialMs: 0, bytesMax: Number.POSITIVE_INFINITY };
const secretOf = (trace: number) => `secret-of-${trace} `.repeat(2000);
const add = async (trace: number) => {
  await store.appendSpans(TENANT, sliceOf(trace, secretOf(trace)), []);
  for (const stale of await store.staleTraces(100)) {
    const run = unreadableRun(stale.traceId, '', 1, new ReenactError('internal', 'not the matter here'));
    await store.writeSummaries([{ trace: stale, run }]);
  }
};
const logFiles = () => readdirSync(join(directory, 'log'));

describe('thinning out by age', () => {
  it('leaves nothing in the log: neither in what is to be written again, nor behind the frames of what is', async () => {
    await add(1);
    await store.settle();
    await add(2);
    await store.settle();
    // In the log, in a file that held another run before, and behind what it holds now.
    await store.appendSpans(TENANT, sliceOf(3, 'short'), []);
    expect(filesWith(directory, 'secret-of-1').filter((path) => path.endsWith('.log'))).not.toEqual([]);
    expect(filesWith(directory, 'secret-of-2').filter((path) => path.includes('free-'))).not.toEqual([]);
    expect(await store.expire(ALL, Date.now() + 1000)).toBe(3);
    await store.settle();
    for (const trace of [1, 2, 3]) expect(filesWith(directory, `secret-of-${trace}`)).toEqual([]);
  });

  it('leaves nothing of what was in the log still', async () => {
    await add(1);
    expect(await store.expire(ALL, Date.now() + 1000)).toBe(1);
    await store.settle();
    expect(filesWith(directory, 'secret-of-1')).toEqual([]);
  });

  it('has files written again that were begun behind what goes', async () => {
    await add(1);
    await store.settle();
    const behindFirst = Date.now();
    for (const trace of [2, 3]) {
      await add(trace);
      await store.settle();
    }
    const before = logFiles().length;
    expect(await store.expire(ALL, behindFirst)).toBe(1);
    await store.settle();
    expect(filesWith(directory, 'secret-of-1')).toEqual([]);
    expect(logFiles().some((name) => name.startsWith('free-'))).toBe(true);
    expect(logFiles().length).toBeLessThanOrEqual(before);
  });
});

/** A run that failed stays for long. */
const summarise = async (status: 'ok' | 'error') => {
  for (const trace of await store.staleTraces(100)) {
    const run = unreadableRun(trace.traceId, '', 1, new ReenactError('internal', 'not the matter here'));
    const replayability = { verdict: 'full' as const, missing: [] };
    await store.writeSummaries([{ trace, run: { ...run, summary: { ...run.summary, status, replayability } } }]);
  }
};

describe('thinning out by age, beside runs that stay', () => {
  it('takes out of packs within a day what went, though most of them stays', async () => {
    for (const trace of [1, 2, 3]) await store.appendSpans(TENANT, sliceOf(trace, `secret-of-${trace}`), []);
    await summarise('error');
    await store.appendSpans(TENANT, sliceOf(4, 'secret-of-4'), []);
    await summarise('ok');
    await store.settle();
    const policy = { ...ALL, specialMs: 1e12 };
    const nowMs = Date.now() + 1000;
    expect(await store.expire(policy, nowMs)).toBe(1);
    expect(await store.expire(policy, nowMs + EXPIRED_BYTES_STAY_MS - 1)).toBe(0);
    expect(filesWith(directory, 'secret-of-4').filter((path) => path.startsWith('pack '))).not.toEqual([]);
    expect(await store.expire(policy, nowMs + EXPIRED_BYTES_STAY_MS)).toBe(0);
    await expect.poll(() => filesWith(directory, 'secret-of-4'), { timeout: SETTLE_AGE_MS / 2 }).toEqual([]);
    for (const trace of [1, 2, 3]) expect(await store.readTrace(TENANT, traceIdOf(trace))).toHaveLength(1);
  });

  it.each(['deletion', 'thinning out'])(
    'leaves nothing in unused parts of pages of either database, however large they are: %s',
    async (how) => {
      await store.close();
      // As little memory as if they were large.
      store = await openStore(directory, { memoryShare: 0.0001 });
      await fill(store);
      await summarise('ok');
      await store.close();
      for (const name of [INDEX_FILE, SEARCH_FILE]) {
        const database = new DatabaseSync(join(directory, name));
        // As SQLite leaves what it has moved to another page.
        database.exec(`PRAGMA secure_delete = OFF; CREATE TABLE moved (text TEXT);
        INSERT INTO moved VALUES ('left-of-ada'), ('stays'); DELETE FROM moved WHERE text = 'left-of-ada'`);
        database.close();
      }
      expect(filesWith(directory, 'left-of-ada')).toHaveLength(2);
      store = await openStore(directory, { memoryShare: 0.0001 });
      if (how === 'deletion') await store.erase([[TENANT, traceIdOf(1)]]);
      else {
        expect(await store.expire(ALL, Date.now() + 1000)).toBe(8);
        await store.expire(ALL, Date.now() + 1000 + EXPIRED_BYTES_STAY_MS);
      }
      expect(filesWith(directory, 'left-of-ada')).toEqual([]);
    },
  );
});

describe('thinning out by age, in databases and of an earlier process', () => {
  it('leaves nothing in the logs of the databases once little comes, also where nothing settles any more', async () => {
    await store.appendSpans(TENANT, sliceOf(1, 'x'), []);
    const [trace] = await store.staleTraces(100);
    if (trace === undefined) expect.fail('the run is not stale');
    const run = unreadableRun(trace.traceId, '', 1, new ReenactError('internal', 'not the matter here'));
    const texts = toSearchableTexts([{ spanId: '', part: 'input', text: 'a crocodile in the room' }]);
    await store.writeSummaries([{ trace, run: { ...run, facets: { user: ['user-of-1'] }, texts } }]);
    const left = () => ['user-of-1', 'crocodile'].flatMap((text) => filesWith(directory, text));
    expect(left().filter((path) => path.endsWith('-wal'))).toHaveLength(2);
    expect(await store.expire(ALL, Date.now() + 1000)).toBe(1);
    await expect.poll(left, { timeout: SETTLE_AGE_MS / 2, interval: 200 }).toEqual([]);
  });

  it('starts without what an earlier process had settled, as nobody knows how old it is', async () => {
    await add(1);
    await store.settle();
    await add(2);
    await store.settle();
    await store.close();
    store = await openStore(directory);
    const plain = [1, 2].flatMap((trace) => filesWith(directory, `secret-of-${trace}`));
    expect(plain.filter((path) => path.includes('/log/'))).toEqual([]);
    for (const trace of [1, 2]) expect(await store.readTrace(TENANT, traceIdOf(trace))).toHaveLength(1);
  });
});

describe('a deletion that a process did not live to end', () => {
  it('goes on at the next start', async () => {
    await fill(store);
    const { writer } = store as unknown as { readonly writer: WriterLink };
    const traces = [2, 7].map((trace) => [TENANT, traceIdOf(trace)] as const);
    await writer.call('control', { type: 'erase', traces, isUrgent: true });
    const killed = mkdtempSync(join(tmpdir(), 'reenact-erase-'));
    cpSync(directory, killed, { recursive: true });
    expect(filesWith(killed, 'secret-of-2')).not.toEqual([]);
    expect(filesWith(killed, 'secret-of-7')).not.toEqual([]);
    const next = await openStore(killed);
    // Far sooner than what is in the log settles by itself.
    const left = () => [...filesWith(killed, 'secret-of-2'), ...filesWith(killed, 'secret-of-7')];
    await expect.poll(left, { timeout: SETTLE_AGE_MS / 2, interval: 200 }).toEqual([]);
    for (const trace of [1, 3, 4, 5, 6, 8]) expect(await next.readTrace(TENANT, traceIdOf(trace))).toHaveLength(1);
    await next.close();
    expect(verifyStore(killed)).toMatchObject({ items: 6, erased: 2, problems: [] });
    rmSync(killed, { recursive: true });
  });

  it('leaves nothing in unused parts of the index either, where only these were still to be done', async () => {
    await fill(store);
    const { writer } = store as unknown as { readonly writer: WriterLink };
    const killed = mkdtempSync(join(tmpdir(), 'reenact-erase-'));
    const call = writer.call.bind(writer);
    vi.spyOn(writer, 'call').mockImplementation((type, ask, ...rest) => {
      if (type !== 'scrub') return call(type, ask as never, ...rest);
      cpSync(directory, killed, { recursive: true });
      throw new Error('ended');
    });
    await expect(store.eraseTenant(TENANT)).rejects.toThrow('ended');
    vi.restoreAllMocks();
    // As SQLite leaves what it has moved to another page.
    const database = new DatabaseSync(join(killed, INDEX_FILE));
    database.exec(`PRAGMA secure_delete = OFF; CREATE TABLE moved (text TEXT);
      INSERT INTO moved VALUES ('left-of-ada'), ('stays'); DELETE FROM moved WHERE text = 'left-of-ada'`);
    database.close();
    expect(filesWith(killed, 'left-of-ada')).not.toEqual([]);
    const next = await openStore(killed);
    await expect.poll(() => filesWith(killed, 'left-of-ada'), { timeout: SETTLE_AGE_MS / 2 }).toEqual([]);
    await next.close();
    rmSync(killed, { recursive: true });
  });
});

describe('deletions that come together', () => {
  it('each say how many items went, and leave the disk in two passes at most', async () => {
    await fill(store);
    const { writer } = store as unknown as { readonly writer: WriterLink };
    const call = vi.spyOn(writer, 'call');
    const traces = [1, 2, 3, 5, 6, 7];
    const counts = await Promise.all(traces.map((trace) => store.erase([[TENANT, traceIdOf(trace)]])));
    expect(counts).toEqual(traces.map(() => 1));
    const passes = call.mock.calls.filter(([type]) => type === 'seal');
    expect(passes.length).toBeLessThanOrEqual(2);
    for (const trace of traces) expect(filesWith(directory, `secret-of-${trace}`)).toEqual([]);
    for (const trace of [4, 8]) expect(await store.readTrace(TENANT, traceIdOf(trace))).toHaveLength(1);
    vi.restoreAllMocks();
  });
});

describe('a deletion that finds the disk full once the runs are out of the index', () => {
  it('says how many items it deleted, and has them gone', async () => {
    await fill(store);
    const { writer } = store as unknown as { readonly writer: WriterLink };
    const call = writer.call.bind(writer);
    let isFull = true;
    vi.spyOn(writer, 'call').mockImplementation((type, ask, ...rest) => {
      if (type !== 'tidy' || !isFull) return call(type, ask as never, ...rest);
      isFull = false;
      return Promise.reject(fullDisk(directory));
    });
    const traces = [2, 7].map((trace) => [TENANT, traceIdOf(trace)] as const);
    expect(await store.erase(traces)).toBe(2);
    vi.restoreAllMocks();
    expect(isFull).toBe(false);
    expect([...filesWith(directory, 'secret-of-2'), ...filesWith(directory, 'secret-of-7')]).toEqual([]);
  });
});
