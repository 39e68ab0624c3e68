import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sqlite from 'node:sqlite';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agent } from '../../boundary/boundaries.ts';
import { installDrawRecording } from '../../draws/install-draw-recording.ts';
import { recordedFacts } from '../../testing/recorded-facts.ts';
import { installConnectionWatch } from '../install-connection-watch.ts';

const recorded = recordedFacts();
const mark = '/draws/SQLite not recorded: its clock and its random numbers are not those of JavaScript';
let undo: readonly (() => void)[] = [];

beforeAll(() => {
  undo = [installConnectionWatch(), installDrawRecording({ environment: {} })];
});

afterAll(() => {
  for (const one of undo) one();
});

/** Whether a run that does this says that SQLite drew. */
async function isTold(work: () => unknown): Promise<boolean> {
  const before = recorded.length;
  await agent('asking', async () => void (await work()))();
  return recorded.slice(before).some(({ lossy }) => lossy?.includes(mark));
}

const libraries = [
  { library: 'node:sqlite', open: () => new sqlite.DatabaseSync(':memory:') },
  { library: 'better-sqlite3', open: () => new Database(':memory:') },
];

describe.each(libraries)('a database of $library that was made before the run', ({ open }) => {
  it.each([
    [
      'a default',
      "CREATE TABLE quotes (text, at TEXT DEFAULT (datetime('now')))",
      'INSERT INTO quotes (text) VALUES (1)',
    ],
    [
      'a default that was added',
      'ALTER TABLE plain ADD COLUMN at DEFAULT CURRENT_TIME',
      'INSERT INTO "plain" (x) VALUES (1)',
    ],
    ['a view', 'CREATE TEMP VIEW IF NOT EXISTS [drawn] AS SELECT random() % 9 AS number', 'SELECT * FROM drawn'],
    [
      'a view of a view',
      'CREATE VIEW one AS SELECT random() % 9; CREATE VIEW two AS SELECT * FROM one',
      'SELECT * FROM two',
    ],
    [
      'what a trigger writes',
      'CREATE TRIGGER t AFTER INSERT ON plain BEGIN SELECT 1; INSERT INTO notes VALUES (random() % 9); END',
      'SELECT * FROM notes',
    ],
    ['what was written', "INSERT OR REPLACE INTO main.plain VALUES (strftime('%s'))", 'SELECT x FROM main.plain'],
    ['what was changed', 'UPDATE plain SET x = random() % 9', 'SELECT x FROM plain'],
    ['what was left', "DELETE FROM plain WHERE x < datetime('now')", 'SELECT x FROM plain'],
    [
      'what was copied',
      'INSERT INTO plain SELECT random() % 9; INSERT INTO notes SELECT x FROM plain',
      'SELECT * FROM notes',
    ],
  ])('draws by %s', async (_, made, asked) => {
    const database = open();
    database.exec('CREATE TABLE plain (x); CREATE TABLE notes (y)');
    const early = database.prepare('SELECT count(*) FROM plain, notes');
    database.exec(made);
    expect(await isTold(() => database.exec(asked))).toBe(true);
    const statement = database.prepare(asked);
    expect(await isTold(() => (asked.startsWith('SELECT') ? statement.all() : statement.run()))).toBe(true);
    // Its own, but no other's of that name.
    expect(await isTold(() => early.get())).toBe(/INTO|UPDATE|ALTER|DELETE/.test(made));
    const other = open();
    other.exec('CREATE TABLE quotes (text); CREATE TABLE plain (x); CREATE TABLE notes (y)');
    const others = other.prepare('SELECT * FROM quotes, plain, notes');
    expect(await isTold(() => others.get())).toBe(false);
    for (const opened of [database, other]) opened.close();
  });
});

describe.each(libraries)('a database of $library', ({ open }) => {
  it('draws nothing by what was written with texts that only look so, and by a table beside one that draws', async () => {
    const database = open();
    database.exec("CREATE TABLE a (x DEFAULT 'random'); CREATE TABLE b (at DEFAULT CURRENT_DATE); CREATE TABLE c (y)");
    database.exec("INSERT INTO c SELECT ';' UNION SELECT x FROM a");
    const statement = database.prepare('SELECT * FROM a, c');
    expect(await isTold(() => statement.all())).toBe(false);
    database.close();
  });

  it('draws where a table that does has another name since, and not where another has', async () => {
    const database = open();
    database.exec('CREATE TABLE old (x DEFAULT CURRENT_DATE); CREATE TABLE plain (y)');
    database.exec('ALTER TABLE old RENAME TO young; ALTER TABLE plain RENAME TO other');
    const [drawn, others] = ['young', 'other'].map((name) => database.prepare(`SELECT * FROM ${name}`));
    expect(await isTold(() => drawn?.all())).toBe(true);
    expect(await isTold(() => others?.all())).toBe(false);
    database.close();
  });

  it('draws where a function of time is given `now` as a parameter, also where it was written by one', async () => {
    const database = open();
    database.exec('CREATE TABLE kept (at)');
    const day = database.prepare('SELECT date(?) AS day');
    const named = database.prepare("SELECT strftime('%H', $at) AS hour");
    const keep = database.prepare('INSERT INTO kept VALUES (datetime(?))');
    const read = database.prepare('SELECT at FROM kept');
    expect(await isTold(() => day.get('2026-01-01'))).toBe(false);
    expect(await isTold(() => read.all())).toBe(false);
    expect(await isTold(() => day.get('NOW'))).toBe(true);
    expect(await isTold(() => named.all({ at: 'now' }))).toBe(true);
    keep.run('2026-01-01');
    expect(await isTold(() => read.all())).toBe(false);
    keep.run('now');
    expect(await isTold(() => read.all())).toBe(true);
    database.close();
  });
});

describe('a store of statements in tagged templates', () => {
  it('draws as statements do', async () => {
    const database = new sqlite.DatabaseSync(':memory:');
    database.exec('CREATE TABLE quotes (at DEFAULT CURRENT_TIME, text)');
    const store = database.createTagStore();
    expect(await isTold(() => store.get`SELECT date(${'2026-01-01'}) AS day`)).toBe(false);
    expect(await isTold(() => store.get`SELECT date(${'now'}) AS day`)).toBe(true);
    expect(await isTold(() => store.all`SELECT * FROM quotes WHERE text = ${1}`)).toBe(true);
    database.close();
  });
});

describe('a file that is opened for reading only', () => {
  it('draws by the views that it has', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'reenact-views-'));
    const path = join(folder, 'offers.sqlite');
    const made = new Database(path);
    made.exec("CREATE TABLE offers (at); CREATE VIEW open AS SELECT * FROM offers WHERE at > datetime('now')");
    made.close();
    const database = new sqlite.DatabaseSync(path, { readOnly: true });
    expect(await isTold(() => database.prepare('SELECT * FROM offers').all())).toBe(false);
    expect(await isTold(() => database.prepare('SELECT * FROM open').all())).toBe(true);
    database.close();
    rmSync(folder, { recursive: true });
  });
});
