import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, betterSqlite3Client } from '../../index.ts';
import { crossingOf } from '../../testdata/recorded-crossing.ts';
import { RecordingHost } from '../../testdata/recording-host.ts';
import { recordAndReplay } from '../../testdata/replay-of.ts';

let host: RecordingHost;
let folder: string;
beforeEach(() => {
  host = new RecordingHost();
  folder = mkdtempSync(join(tmpdir(), 'reenact-better-sqlite3-'));
});
afterEach(async () => {
  await host.stop();
  rmSync(folder, { recursive: true });
});

type Database = BetterSqlite3.Database;

function errorOf(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return [
      error instanceof BetterSqlite3.SqliteError,
      (error as Error & { code?: string }).code,
      (error as Error).message,
    ];
  }
}

function trade(database: Database, log: string[]): unknown[] {
  database.pragma('foreign_keys = ON');
  database
    .exec('CREATE TABLE accounts (id INTEGER PRIMARY KEY)')
    .exec('CREATE TABLE orders (id INTEGER PRIMARY KEY, account REFERENCES accounts DEFERRABLE INITIALLY DEFERRED)');
  const insert = database.prepare('INSERT INTO orders (account) VALUES (?)');
  const place = database.transaction((account: number | null) => {
    log.push(`place ${account}`);
    const { lastInsertRowid } = insert.run(account);
    if (account === 0) throw new RangeError('no account 0');
    return lastInsertRowid;
  });
  return [
    place(null),
    place.immediate(null),
    errorOf(() => place(0)),
    errorOf(() => place(5)),
    database.prepare('SELECT id FROM orders').pluck().all(),
    [...database.prepare('SELECT id FROM orders').raw(true).iterate()],
    errorOf(() => database.prepare('SELEC')),
    database.close() === database,
  ];
}

describe('better-sqlite3', () => {
  it('is recorded and replayed with transactions that begin, fail and end as they did, and a replay opens no file', async () => {
    const path = join(folder, 'ledger.sqlite');
    const Wrapped = betterSqlite3Client(BetterSqlite3);
    const log: string[] = [];
    let target = path;
    const run = agent('trader', () => trade(new Wrapped(target), log));
    const { recorded, replayed, player } = await recordAndReplay(host, run, {
      between: () => {
        target = join(folder, 'never', 'made.sqlite');
      },
    });
    expect(recorded).toEqual({
      value: [
        1,
        2,
        [false, undefined, 'no account 0'],
        [true, 'SQLITE_CONSTRAINT_FOREIGNKEY', 'FOREIGN KEY constraint failed'],
        [1, 2],
        [[1], [2]],
        [true, 'SQLITE_ERROR', 'near "SELEC": syntax error'],
        true,
      ],
    });
    expect(replayed).toStrictEqual(recorded);
    expect(player.refusals).toEqual([]);
    expect(log).toEqual([...log.slice(0, 4), ...log.slice(0, 4)]);
    expect(readFileSync(path).byteLength).toBeGreaterThan(0);
    const failed = (await host.recorded()).map(crossingOf).filter(({ outcome }) => outcome.type === 'threw');
    expect(failed.map(({ name }) => name)).toEqual(['sqlite.commit', 'sqlite.prepare']);
  });
});

describe('members of better-sqlite3', () => {
  it('say in a replay what they said: libraries run a statement by its `reader`', async () => {
    const Wrapped = betterSqlite3Client(BetterSqlite3);
    let target = join(folder, 'ledger.sqlite');
    const run = agent('trader', () => {
      const database = new Wrapped(target);
      database.exec('CREATE TABLE orders (id INTEGER PRIMARY KEY)');
      const statements = ['INSERT INTO orders DEFAULT VALUES', 'SELECT * FROM orders'].map((sql) =>
        database.prepare(sql),
      );
      const before = database.inTransaction;
      database.exec('BEGIN');
      const said = [
        ...statements.map(({ reader, readonly, source }) => [reader, readonly, source]),
        [before, database.inTransaction, database.memory, database.readonly, database.open],
      ];
      // A mark that a library leaves, and finds again or not.
      Reflect.set(database, '__mark', 1);
      const marks: unknown[] = ['__mark', '__other'].map((name) => Reflect.get(database, name));
      database.close();
      return [...said, marks, database.open];
    });
    const { recorded, replayed, player } = await recordAndReplay(host, run, {
      between: () => {
        target = join(folder, 'never', 'made.sqlite');
      },
    });
    expect(recorded).toEqual({
      value: [
        [false, false, 'INSERT INTO orders DEFAULT VALUES'],
        [true, true, 'SELECT * FROM orders'],
        [false, true, false, false, true],
        [1, undefined],
        false,
      ],
    });
    expect(replayed).toStrictEqual(recorded);
    expect(player.refusals).toEqual([]);
  });
});
