import sqlite from 'node:sqlite';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agent } from '../../boundary/boundaries.ts';
import { betterSqlite3Client } from '../../clients/sqlite/better-sqlite3-client.ts';
import { sqliteClient } from '../../clients/sqlite/sqlite-client.ts';
import { installDrawRecording } from '../../draws/install-draw-recording.ts';
import { recordedFacts } from '../../testing/recorded-facts.ts';
import { installConnectionWatch } from '../install-connection-watch.ts';

const recorded = recordedFacts();
const mark = '/draws/SQLite not recorded: its clock and its random numbers are not those of JavaScript';
let undo: readonly (() => void)[] = [];

beforeAll(() => {
  // The library loads its add-on with the first database that it opens.
  undo = [installConnectionWatch(), installDrawRecording({ environment: {} })];
});

afterAll(() => {
  for (const one of undo) one();
});

/** What is marked of a run, and of the calls in it. */
async function marksOf(work: () => unknown): Promise<readonly string[]> {
  const before = recorded.length;
  await agent('asking', async () => void (await work()))();
  return recorded.slice(before).flatMap(({ lossy }) => lossy ?? []);
}

describe.each([
  { library: 'node:sqlite', open: () => new sqlite.DatabaseSync(':memory:') },
  { library: 'better-sqlite3', open: () => new Database(':memory:') },
])('a statement that $library runs in memory', ({ open }) => {
  it('is told where it asks SQLite for the time or a random number, wherever it was prepared', async () => {
    const database = open();
    const kept = database.prepare("SELECT datetime('now') AS at");
    expect(await marksOf(() => kept.get())).toEqual([mark]);
    expect(await marksOf(() => kept.all())).toEqual([mark]);
    expect(await marksOf(() => database.prepare('SELECT random() % 9 AS drawn').get())).toEqual([mark]);
    expect(await marksOf(() => database.exec('CREATE TABLE a (at TEXT DEFAULT CURRENT_TIMESTAMP)'))).toEqual([mark]);
    database.close();
  });

  it('is not told where it asks for neither', async () => {
    const database = open();
    const plain = database.prepare("SELECT 'now' AS state, date('2026-01-01') AS day, strftime('%Y', ?) AS year");
    const work = (): unknown => [plain.get('2026-01-01'), database.exec('CREATE TABLE b (at TEXT)')];
    expect(await marksOf(work)).toEqual([]);
    database.close();
  });
});

describe('a statement of a wrapped client', () => {
  it.each([
    ['node:sqlite', () => new (sqliteClient(sqlite.DatabaseSync))(':memory:')],
    ['better-sqlite3', () => new (betterSqlite3Client(Database))(':memory:')],
  ])('of %s is recorded with what it gives', async (_library, open) => {
    const database = open();
    const kept = database.prepare("SELECT datetime('now') AS at, random() % 9 AS drawn");
    expect(await marksOf(() => kept.get())).toEqual([]);
    expect(await marksOf(() => database.exec('SELECT random()'))).toEqual([]);
  });
});

describe('how SQL draws', () => {
  it.each([
    'SELECT lower(hex(randomblob(16)))',
    'select * from quotes ORDER BY RANDOM() LIMIT 1',
    "SELECT strftime('%s')",
    "SELECT strftime('%s', 'now', '-1 day')",
    'SELECT unixepoch()',
    "SELECT julianday('now', 'localtime')",
    "SELECT unixepoch('subsec')",
    "SELECT strftime('%H (%s)', 'now')",
    "SELECT datetime(coalesce(NULL, 'now'))",
    "SELECT date(trim(upper('x')) || '', 'now')",
    "SELECT date(coalesce(nullif(trim(upper('x')), 'X'), 'now'))",
    'SELECT current_date',
  ])('%s', async (text) => {
    const database = new sqlite.DatabaseSync(':memory:');
    database.exec('CREATE TABLE quotes (text)');
    expect(await marksOf(() => database.prepare(text).get())).toEqual([mark]);
  });
});
