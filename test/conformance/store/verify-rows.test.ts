import { closeSync, openSync, readdirSync, readFileSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';
import { runStoreRequest, verifyStore } from '@reenact/collector';
import { createCollectorClient } from '@reenact/collector-client';
import {
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_PROVIDER_NAME,
  ATTR_GEN_AI_REQUEST_MODEL,
} from '@reenact/semconv/gen-ai';
import { isReenactError } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diceOf } from '../../fuzz/mutate.ts';
import { crossingSpan, send, sendLogs } from '../query/run-corpus.ts';
import { makeSpan, spanIdOf, spansOf, Testbed, textAttributes, traceIdOf } from '../testbed.ts';

/** Damaged copies that are checked. Raised by hand. */
const FLIPS = Number(process.env.REENACT_TEST_FLIPPED_BITS ?? 25);

const testbed = new Testbed();
const TABLES = [
  'block',
  'drifting',
  'facet',
  'frame',
  'item',
  'item_span',
  'observation',
  'pack',
  'queue',
  'tally',
  'trace',
  'usage',
];
/** Notes of work to do, and what only the index knows: docs/collector-operation.md says that they are not compared. */
const NOT_COMPARED = [
  'pack.bytes',
  'pack.is_erasing',
  'pack.is_hurried',
  'queue.destination',
  'queue.id',
  'queue.passed',
  'queue.queued_ms',
  'queue.signal',
  'trace.changed_by',
  'trace.revision',
  'trace.summary_number',
];
const ROWS = TABLES.map((table) => [table] as const);
let sound: string;

/** Runs that are settled and runs that are not, one of them kept, logs, drift, and something that waits to be sent on. */
beforeAll(async () => {
  const forward = [{ name: 'away', url: 'http://127.0.0.1:9', content: 'full' as const }];
  const { httpUrl, dataDirectory, stop } = await testbed.start({ forward });
  await send(httpUrl, [crossingSpan({ trace: 1, span: 1 })]);
  await send(httpUrl, [crossingSpan({ trace: 2, span: 2, output: 3 })]);
  await sendLogs(httpUrl, [{ traceId: traceIdOf(2), timeUnixNano: '1763700000000000001' }, { timeUnixNano: '2' }]);
  await runStoreRequest(dataDirectory, { type: 'settle' });
  await runStoreRequest(dataDirectory, { type: 'keep', tenant: 'default', id: traceIdOf(1), reason: 'evidence' });
  const attributes = textAttributes({
    [ATTR_GEN_AI_OPERATION_NAME]: 'chat',
    [ATTR_GEN_AI_PROVIDER_NAME]: 'openai',
    [ATTR_GEN_AI_REQUEST_MODEL]: 'm',
  });
  await send(httpUrl, [makeSpan({ traceId: traceIdOf(3), spanId: spanIdOf(3), attributes })]);
  expect((await createCollectorClient({ url: httpUrl }).listRuns()).runs).toHaveLength(3);
  await stop();
  // Span ids are entered some thousand at a time.
  const database = new DatabaseSync(join(dataDirectory, 'index.sqlite'));
  database.exec(`
    INSERT INTO item_span SELECT 0, span_id, id FROM item WHERE signal = 0;
    INSERT INTO state SELECT 'entered_span', max(id) FROM item`);
  database.close();
  expect(verifyStore(dataDirectory).problems).toEqual([]);
  sound = dataDirectory;
});
afterAll(() => testbed.dispose());

async function copyOfSound(): Promise<{ directory: string; database: DatabaseSync }> {
  const directory = await testbed.directory();
  await cp(sound, directory, { recursive: true });
  const database = new DatabaseSync(join(directory, 'index.sqlite'));
  return { directory, database };
}

/** One bit, or a number by something that is no other row's. */
function changed(value: SQLInputValue): SQLInputValue {
  if (typeof value === 'bigint') return value + 4_096n;
  if (value instanceof Uint8Array) return Buffer.from(value).map((byte, index) => (index === 3 ? byte ^ 1 : byte));
  const text = String(value);
  const at = Math.floor(text.length / 2);
  return `${text.slice(0, at)}${String.fromCharCode(text.charCodeAt(at) ^ 1)}${text.slice(at + 1)}`;
}

/** Changes one value of one row; gives whether there is one that is not null. */
function change(database: DatabaseSync, table: string, column: string): boolean {
  const select = database.prepare(`SELECT * FROM ${table} WHERE ${column} IS NOT NULL AND ${column} <> ''`);
  select.setReadBigInts(true);
  const row = select.all().at(-1) as Record<string, SQLInputValue> | undefined;
  if (row === undefined) return false;
  const columns = Object.keys(row);
  const update = database.prepare(
    `UPDATE ${table} SET ${column} = ? WHERE ${columns.map((name) => `${name} IS ?`).join(' AND ')}`,
  );
  const { changes } = update.run(changed(row[column] ?? null), ...columns.map((name) => row[name] ?? null));
  expect([table, column, changes]).toEqual([table, column, 1]);
  return true;
}

function columnsOf(database: DatabaseSync, table: string): string[] {
  return database
    .prepare(`PRAGMA table_info(${table.replace('temp.', '')})`)
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !NOT_COMPARED.includes(`${table}.${name}`));
}

describe('a check of an index in which one value is another', () => {
  it.each(ROWS)('finds it in each column of "%s"', { timeout: 120_000 }, async (table) => {
    const { database } = await copyOfSound();
    const missed: string[] = [];
    for (const column of columnsOf(database, table)) {
      const { directory, database: damaged } = await copyOfSound();
      const isChanged = change(damaged, table, column);
      damaged.close();
      expect([table, column, isChanged]).toEqual([table, column, true]);
      if (verifyStore(directory).problems.length === 0) missed.push(column);
    }
    database.close();
    expect(missed).toEqual([]);
  });
});

const SEARCH_TABLES: readonly string[] = ['content', 'search_docsize', 'temp.word'];

/** An error that stops the check says it as well. */
function problemsOf(directory: string): readonly string[] {
  try {
    return verifyStore(directory).problems.map(({ where, what }) => `${where}: ${what}`);
  } catch (thrown) {
    if (!isReenactError(thrown)) throw thrown;
    return [thrown.message];
  }
}

describe('a check of the small files of a data directory', () => {
  it('finds each bit that is another in what says where queues begin, and how the clock was set', {
    timeout: 120_000,
  }, async () => {
    const missed: string[] = [];
    for (const name of ['queues.json', 'retention.json', 'retention-copy.json']) {
      const { directory, database } = await copyOfSound();
      database.close();
      const whole = readFileSync(join(sound, name));
      for (let at = 0; at < whole.length; at += 3) {
        writeFileSync(join(directory, name), whole);
        flip(join(directory, name), 8 * at + (at % 7));
        if (problemsOf(directory).length === 0) missed.push(`${name} at byte ${at}`);
      }
      expect(whole.length).toBeGreaterThan(20);
    }
    expect(missed).toEqual([]);
  });

  it('takes them as an earlier version wrote them', async () => {
    const { directory, database } = await copyOfSound();
    database.close();
    for (const name of ['queues.json', 'retention.json']) {
      const text = readFileSync(join(directory, name), 'utf8');
      expect(text).toContain('"crc32"');
      writeFileSync(join(directory, name), text.replace(/,"crc32".*$/, '}'));
    }
    expect(problemsOf(directory)).toEqual([]);
  });
});

describe('a check of a data directory without the files that say how the clock was set', () => {
  it('says what the next start does without the first of them', async () => {
    const { directory, database } = await copyOfSound();
    database.close();
    rmSync(join(directory, 'retention.json'));
    expect(problemsOf(directory)).toEqual([expect.stringMatching(/retention\.json: .*reads its copy/)]);
  });

  it('says what the next start does without both, where runs were thinned out by them', async () => {
    const { directory, database } = await copyOfSound();
    database.close();
    for (const name of ['retention.json', 'retention-copy.json']) rmSync(join(directory, name));
    expect(problemsOf(directory)).toEqual([]);
    const thinnedOut = new DatabaseSync(join(directory, 'index.sqlite'));
    thinnedOut.exec("INSERT OR REPLACE INTO state VALUES ('expired_ms', 1)");
    thinnedOut.close();
    expect(problemsOf(directory)).toEqual([
      expect.stringMatching(/retention\.json: .*counts every run as received then/),
    ]);
  });

  it('misses none in a backup of a version that left them out', async () => {
    const { directory, database } = await copyOfSound();
    database.exec("INSERT OR REPLACE INTO state VALUES ('expired_ms', 1); PRAGMA user_version = 13");
    database.close();
    for (const name of ['retention.json', 'retention-copy.json']) rmSync(join(directory, name));
    for (const round of ['upgraded', 'checked again']) expect(problemsOf(directory), round).toEqual([]);
  });
});

describe('a check of an index that was made again', () => {
  it('knows why a run is kept whose later spans are in an earlier pack than its first', async () => {
    const { httpUrl, dataDirectory, stop } = await testbed.start();
    const settle = () => runStoreRequest(dataDirectory, { type: 'settle' });
    // A small block would be written again with the next.
    const large = crossingSpan({ trace: 1, span: 1, output: 'x'.repeat(50_000) });
    await send(httpUrl, [large, crossingSpan({ trace: 2, span: 2 })]);
    await settle();
    await runStoreRequest(dataDirectory, { type: 'keep', tenant: 'default', id: traceIdOf(1), reason: 'evidence' });
    await send(httpUrl, [crossingSpan({ trace: 1, span: 3 }), crossingSpan({ trace: 3, span: 4 })]);
    await settle();
    await runStoreRequest(dataDirectory, { type: 'delete-trace', tenant: 'default', id: traceIdOf(2) });
    await stop();
    expect(verifyStore(dataDirectory, { rebuildIndex: true }).problems).toEqual([]);
    expect(verifyStore(dataDirectory).problems).toEqual([]);
  });
});

describe('a collector whose index has one wrong value', () => {
  it('removes no pack that the index still leads to', async () => {
    const { directory, database } = await copyOfSound();
    database.exec('UPDATE pack SET id = id + 7');
    database.close();
    const packs = readdirSync(join(directory, 'packs'));
    expect(problemsOf(directory)).toContainEqual(expect.stringContaining('1 packs have blocks and no row'));
    expect(readdirSync(join(directory, 'packs'))).toEqual(packs);
    const { httpUrl } = await testbed.start({ dataDirectory: directory });
    const recording = await createCollectorClient({ url: httpUrl }).getRecording(traceIdOf(1));
    expect(spansOf(recording)).toHaveLength(1);
  });

  it('writes over nothing where the end of the log is another', async () => {
    const { directory, database } = await copyOfSound();
    const row = database.prepare("SELECT value FROM state WHERE name = 'log'").get();
    const position = Buffer.from(row?.value as Uint8Array);
    position.writeBigUInt64LE(128n, 8);
    database.prepare("UPDATE state SET value = ? WHERE name = 'log'").run(position);
    database.close();
    await expect(testbed.start({ dataDirectory: directory })).rejects.toMatchObject({
      code: 'store-failed',
      next: expect.stringContaining('reenact store verify --rebuild-index') as string,
    });
    expect(problemsOf(directory)).toContainEqual(expect.stringContaining('--rebuild-index'));
    expect(verifyStore(directory, { rebuildIndex: true }).problems).toEqual([]);
  });
});

/** All that can be read of a database but what is not compared; undefined where SQLite itself says that it is damaged. */
function readAll(path: string, tables: readonly string[]): string | undefined {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    if (tables === SEARCH_TABLES)
      database.exec('CREATE VIRTUAL TABLE temp.word USING fts5vocab (main, search, instance)');
    const rows = tables.flatMap((table) => {
      // A flag of how a text is compressed may be another, and the text the same.
      const columns = columnsOf(database, table).filter((name) => name !== 'texts');
      // What a row of log records alone says of its start is written over with the first span.
      const said = columns.map((name) =>
        name === 'start_ns' && table === 'trace' ? 'revision > 0 AND start_ns' : name,
      );
      const select = database.prepare(`SELECT ${said.map((value) => `quote(${value})`).join(', ')} FROM ${table}`);
      return select.all().map((row) => Object.values(row));
    });
    if (tables === SEARCH_TABLES) {
      const texts = database.prepare('SELECT texts FROM content WHERE texts IS NOT NULL').all();
      rows.push(texts.map((row) => zstdDecompressSync(row.texts as Uint8Array).toString('latin1')));
    }
    return JSON.stringify(rows);
  } catch {
    return undefined;
  } finally {
    database.close();
  }
}

function flip(path: string, bit: number): void {
  const file = openSync(path, 'r+');
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, bit >> 3);
  writeSync(
    file,
    byte.map((value) => value ^ (1 << (bit & 7))),
    0,
    1,
    bit >> 3,
  );
  closeSync(file);
}

describe('a check of a database in which one bit is another', () => {
  it.each([
    ['index.sqlite', TABLES],
    ['search.sqlite', SEARCH_TABLES],
  ] as const)(
    'finds it in %s wherever something reads otherwise than before',
    { timeout: 300_000 },
    async (name, tables) => {
      const dice = diceOf(7);
      // Most of a small database is zeros that nobody reads.
      const used = [...readFileSync(join(sound, name)).entries()].flatMap(([at, byte]) => (byte === 0 ? [] : at));
      const before = readAll(join(sound, name), tables);
      const missed: string[] = [];
      let harmful = 0;
      for (let round = 0; round < FLIPS; round += 1) {
        const { directory, database } = await copyOfSound();
        database.close();
        const bit = 8 * (used[dice(used.length)] ?? 0) + dice(8);
        flip(join(directory, name), bit);
        const isHarmful = readAll(join(directory, name), tables) !== before;
        if (isHarmful) harmful += 1;
        const found = problemsOf(directory);
        if (isHarmful && found.length === 0) missed.push(`bit ${bit}`);
      }
      expect(harmful).toBeGreaterThan(0);
      expect(missed).toEqual([]);
    },
  );

  it('finds it in the name of a column that nothing compares', async () => {
    const { directory, database } = await copyOfSound();
    database.close();
    const path = join(directory, 'index.sqlite');
    const table = readFileSync(path).indexOf('CREATE TABLE pack');
    flip(path, 8 * readFileSync(path).indexOf('bytes INTEGER', table) + 7);
    expect(problemsOf(directory)).toEqual([expect.stringContaining('it has no column "pack.bytes"')]);
  });

  it('finds it in the name of a column that no search asks for', async () => {
    const { directory, database } = await copyOfSound();
    database.close();
    const path = join(directory, 'search.sqlite');
    flip(path, 8 * readFileSync(path).indexOf('sz BLOB') + 7);
    expect(problemsOf(directory)).toContainEqual(expect.stringContaining('no such column: sz'));
  });
});
