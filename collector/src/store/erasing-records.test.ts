import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LogSlice, walkLogsJson } from '@reenact/otlp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { filesWith } from '../testdata/files-with.ts';
import { INDEX_FILE } from './database/schema.ts';
import { systemDisk } from './files/disk.ts';
import { openIndexForReading } from './index/open-index.ts';
import { SETTLE_AGE_MS } from './limits.ts';
import { openStore } from './open-store.ts';
import { Settler } from './pack/settler.ts';
import type { Store, StoredItem } from './store.ts';
import { logsToFrame } from './to-frame.ts';
import { verifyStore } from './verify/verify-store.ts';
import type { WriterLink } from './worker/calls.ts';
import type { Releasable } from './worker/settlement-book.ts';
import { StoreWriter } from './worker/store-writer.ts';

const TENANT = 'default';

/** A record of no trace for each user, none like one before. */
function slicesOf(users: readonly string[], second = 1): readonly LogSlice[] {
  const logRecords = users.map((user, index) => ({
    timeUnixNano: String(second * 1e9 + index),
    body: { stringValue: `the same words in every record, again and again. ${user}-said-this `.repeat(4) },
  }));
  const walked = walkLogsJson(Buffer.from(JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] })));
  return walked.ok ? walked.records : [];
}

const names = (records: readonly StoredItem[], user: string) =>
  records.some(({ bytes }) => Buffer.from(bytes).includes(`${user}-said-this`));
const recordsOf = async (from: Store, user: string) =>
  (await from.findLogs(TENANT, (records) => names(records, user))).records;

let around = '';
let directory = '';
let store: Store;
beforeEach(async () => {
  around = mkdtempSync(join(tmpdir(), 'reenact-erase-records-'));
  directory = join(around, 'data');
  store = await openStore(directory);
});
afterEach(async () => {
  await store.close();
  rmSync(around, { recursive: true, force: true });
});

/** Six records, of which two settlements have left some twice in packs, and the last two are in the log. */
async function fill(): Promise<void> {
  const requests = [
    ['ada', 'bob'],
    ['eve', 'ada'],
    ['ada', 'bob-2'],
  ];
  for (const [second, users] of requests.entries()) {
    await store.appendLogs(TENANT, slicesOf(users, second), ['jaeger']);
    if (second < 2) await store.settle();
  }
}

async function expectOthersWhole(from: Store): Promise<void> {
  for (const user of ['bob', 'eve', 'bob-2']) expect(await recordsOf(from, user)).toHaveLength(1);
}

describe('erasing log records that name no trace', () => {
  it('leaves no byte of them in log, packs, index or free segments, and every other record of their day whole', async () => {
    await fill();
    const records = await recordsOf(store, 'ada');
    expect(filesWith(directory, 'ada-said').some((path) => path.startsWith('pack '))).toBe(true);
    expect(await store.eraseRecords(records)).toBe(3);
    expect(await store.eraseRecords(records)).toBe(0);
    expect(filesWith(directory, 'ada-said')).toEqual([]);
    expect(await recordsOf(store, 'ada')).toEqual([]);
    await expectOthersWhole(store);
    expect((await store.queueDepths()).get('jaeger')).toBe(3);
    expect((await store.stats()).logRecords).toBe(3);
    await store.close();
    expect(verifyStore(directory)).toMatchObject({ items: 3, erased: 3, problems: [] });
  });

  it('leaves nothing of a day of which all went, and takes the same record anew', async () => {
    await fill();
    const all = (await store.findLogs(TENANT, () => true)).records;
    expect(await store.eraseRecords(all)).toBe(6);
    expect(filesWith(directory, '-said-this')).toEqual([]);
    await store.appendLogs(TENANT, slicesOf(['ada']), []);
    expect(await recordsOf(store, 'ada')).toHaveLength(1);
    await store.close();
    expect(verifyStore(directory)).toMatchObject({ items: 1, erased: 6, problems: [] });
  });

  it('stays so in a copy that is made of the store, and when the index is made again', async () => {
    await fill();
    await store.eraseRecords(await recordsOf(store, 'ada'));
    const copy = join(around, 'copy');
    await store.backup(copy);
    expect(verifyStore(copy)).toMatchObject({ items: 3, erased: 3, problems: [] });
    await store.close();
    expect(verifyStore(directory, { rebuildIndex: true })).toMatchObject({ items: 3, problems: [] });
    store = await openStore(directory);
    expect(await recordsOf(store, 'ada')).toEqual([]);
    await expectOthersWhole(store);
  });
});

describe('a deletion of log records that a process did not live to end', () => {
  /** A copy of the directory as it is when the deletion stands in the log, and nothing has left the disk. */
  async function kill(): Promise<string> {
    await fill();
    const records = await recordsOf(store, 'ada');
    const { writer } = store as unknown as { readonly writer: WriterLink };
    await writer.call('control', { type: 'erase', traces: [], records, isUrgent: true });
    const killed = join(around, 'killed');
    cpSync(directory, killed, { recursive: true });
    expect(filesWith(killed, 'ada-said')).not.toEqual([]);
    return killed;
  }

  it.each(['with its index', 'without its index'])('goes on at the next start: %s', async (how) => {
    const killed = await kill();
    if (how === 'without its index')
      for (const end of ['', '-wal', '-shm']) rmSync(join(killed, `${INDEX_FILE}${end}`), { force: true });
    const next = await openStore(killed);
    // Far sooner than what is in the log settles by itself.
    await expect.poll(() => filesWith(killed, 'ada-said'), { timeout: SETTLE_AGE_MS / 2, interval: 200 }).toEqual([]);
    await expectOthersWhole(next);
    expect(await recordsOf(next, 'ada')).toEqual([]);
    await next.close();
    expect(verifyStore(killed)).toMatchObject({ items: 3, erased: 3, problems: [] });
  });
});

describe('a backup in the middle of a deletion of log records', () => {
  /** Opens a copy, which has what was deleted leave its disk, too, and holds it against what is to be there. */
  async function expectGoesOn(copy: string): Promise<void> {
    const opened = await openStore(copy);
    await expect.poll(() => filesWith(copy, 'ada-said'), { timeout: SETTLE_AGE_MS / 2, interval: 200 }).toEqual([]);
    await expectOthersWhole(opened);
    expect(await recordsOf(opened, 'ada')).toEqual([]);
    await opened.close();
    expect(verifyStore(copy)).toMatchObject({ items: 3, erased: 3, problems: [] });
  }

  it('goes on with it when it is opened, where nothing had left the disk yet', async () => {
    await fill();
    const records = await recordsOf(store, 'ada');
    const { writer } = store as unknown as { readonly writer: WriterLink };
    await writer.call('control', { type: 'erase', traces: [], records, isUrgent: true });
    const copy = join(around, 'copy');
    await store.backup(copy);
    expect(filesWith(copy, 'ada-said')).not.toEqual([]);
    await expectGoesOn(copy);
  });

  it('goes on with it wherever that stands, and both come to their ends', async () => {
    await fill();
    const records = await recordsOf(store, 'ada');
    const copy = join(around, 'copy');
    const deletion = store.eraseRecords(records);
    // What is asked for behind it is done behind its first step at the earliest.
    await (store as unknown as { readonly writer: WriterLink }).writer.call('settleQueue', []);
    await store.backup(copy);
    expect(await deletion).toBe(3);
    expect(filesWith(directory, 'ada-said')).toEqual([]);
    const opened = await openStore(copy);
    const left = await recordsOf(opened, 'ada');
    await opened.close();
    if (left.length === 0) await expectGoesOn(copy);
    else expect(verifyStore(copy)).toMatchObject({ items: 6, problems: [] });
  });
});

let writer: StoreWriter;
const own = () => join(around, 'own');
const add = (users: readonly string[]) => writer.append([logsToFrame(TENANT, slicesOf(users), { destinations: [] })]);
const eraseFirst = () => writer.control({ type: 'erase', traces: [], records: [1], isUrgent: true });
const open = () => {
  mkdirSync(own(), { recursive: true });
  writer = new StoreWriter({ dataDirectory: own(), disk: systemDisk });
};

/** Books a settlement of all there is, with `between` while it is booked, and gives what can be released. */
const settle = (between: () => void = () => undefined): Releasable => {
  const plan = writer.book.plan('everything', 0);
  if (plan === undefined) expect.fail('nothing is to be settled');
  const database = openIndexForReading(own());
  const settlement = new Settler(database, systemDisk, own()).settle(plan);
  database.close();
  const steps = writer.book.apply(settlement);
  between();
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
};
const expectOnlyBob = (): void => {
  writer.book.release(settle());
  expect(filesWith(own(), 'ada-said')).toEqual([]);
  expect(filesWith(own(), 'bob-said')).toHaveLength(1);
  writer.close();
  expect(verifyStore(own())).toMatchObject({ items: 1, erased: 1, problems: [] });
};

describe('a deletion of log records, in the writer', () => {
  it('holds where a power cut takes back the index', () => {
    open();
    add(['ada', 'bob']);
    writer.close();
    const index = join(own(), INDEX_FILE);
    cpSync(index, join(around, 'before'));
    open();
    expect(eraseFirst()).toMatchObject({ items: 1 });
    writer.close();
    cpSync(join(around, 'before'), index);
    open();
    expect(writer.database.prepare('SELECT id FROM item').all()).toEqual([{ id: 2 }]);
    writer.close();
  });

  it('has a pack written again that was made of them meanwhile', () => {
    open();
    add(['ada', 'bob']);
    writer.book.release(settle(eraseFirst));
    expect(filesWith(own(), 'ada-said')).not.toEqual([]);
    expectOnlyBob();
  });

  it('holds where the index is lost, the chain alone says so, and an old pack is there still', () => {
    open();
    add(['ada', 'bob']);
    writer.book.release(settle());
    eraseFirst();
    writer.book.release({ ...settle(), packs: [] });
    writer.close();
    for (const end of ['', '-wal', '-shm']) rmSync(join(own(), `${INDEX_FILE}${end}`), { force: true });
    expect(filesWith(own(), 'ada-said')).not.toEqual([]);
    open();
    expect(writer.database.prepare('SELECT id FROM item').all()).toEqual([{ id: 2 }]);
    expectOnlyBob();
  });
});

describe('the packs of a day, some records of which are deleted', () => {
  it.each([
    ['are left where they hold others alone', 22, '', [3]],
    ['are written again where they may hold one', 1, '', [1]],
    ['are written again, all of them, where an earlier version did not note what is where', 22, 'NULL', [1, 3]],
  ])('%s', (_, record, noted, expected) => {
    open();
    const many = Array.from({ length: 21 }, (_item, index) => `bob-${index}`);
    for (const users of [many, ['eve'], ['ann', 'joe']]) {
      add(users);
      // The third pack has what was in the second.
      writer.book.release(settle());
    }
    if (noted !== '') writer.database.exec(`UPDATE block SET first_item = ${noted}, last_item = ${noted}`);
    writer.control({ type: 'erase', traces: [], records: [record], isUrgent: true });
    const erasing = writer.database.prepare('SELECT id FROM pack WHERE is_erasing = 1 ORDER BY id').all();
    expect(erasing.map(({ id }) => id)).toEqual(expected);
    writer.close();
  });
});
