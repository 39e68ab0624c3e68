import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, sqliteClient } from '../../index.ts';
import { crossingOf } from '../../testdata/recorded-crossing.ts';
import { RecordingHost } from '../../testdata/recording-host.ts';
import { recordAndReplay } from '../../testdata/replay-of.ts';

let host: RecordingHost;
let folder: string;
beforeEach(() => {
  host = new RecordingHost();
  folder = mkdtempSync(join(tmpdir(), 'reenact-sqlite-'));
});
afterEach(async () => {
  await host.stop();
  rmSync(folder, { recursive: true });
});

function messageOf(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return [(error as Error).constructor.name, (error as Error).message, Reflect.get(error as Error, 'errcode')];
  }
}

function trade(database: DatabaseSync): unknown[] {
  database.exec('CREATE TABLE orders (id INTEGER PRIMARY KEY, symbol TEXT UNIQUE, shares INTEGER, note BLOB)');
  const insert = database.prepare('INSERT INTO orders (symbol, shares, note) VALUES (?, ?, ?)');
  const first = insert.run('ACME', 1000, new Uint8Array([1, 2, 255]));
  const second = insert.run('INIT', 7, null);
  const find = database.prepare('SELECT * FROM orders WHERE symbol = :symbol');
  const all = database.prepare('SELECT symbol, shares FROM orders ORDER BY id');
  all.setReturnArrays(true);
  return [
    first,
    second,
    find.get({ symbol: 'ACME' }),
    find.get({ symbol: 'NONE' }),
    all.all(),
    [...all.iterate()],
    all.columns().map(({ name }) => name),
    [all.sourceSQL, database.isOpen, database.isTransaction],
    messageOf(() => insert.run('ACME', 1, null)),
    messageOf(() => database.prepare('SELECT * FROM nowhere')),
    database.close(),
  ];
}

describe('node:sqlite', () => {
  it('is recorded and replayed with equal rows and errors, and a replay opens no file', async () => {
    const path = join(folder, 'ledger.sqlite');
    const Database = sqliteClient(DatabaseSync);
    const digest = (): string => createHash('sha256').update(readFileSync(path)).digest('hex');
    let before = '';
    const { recorded, replayed, player } = await recordAndReplay(
      host,
      agent('trader', () => {
        const seen = trade(new Database(before === '' ? path : join(folder, 'never', 'made.sqlite')));
        before ||= digest();
        return seen;
      }),
    );
    expect(recorded).not.toHaveProperty('error');
    expect(replayed).toStrictEqual(recorded);
    expect(player.refusals).toEqual([]);
    expect(digest()).toBe(before);
    expect((recorded as { value: unknown[] }).value[2]).toEqual({
      id: 1,
      symbol: 'ACME',
      shares: 1000,
      note: new Uint8Array([1, 2, 255]),
    });
  });

  it('says what each call does to the world, by its statement', async () => {
    agent('trader', () => trade(new (sqliteClient(DatabaseSync))(join(folder, 'ledger.sqlite'))))();
    const crossings = (await host.recorded()).map(crossingOf).filter(({ kind }) => kind === 'database');
    const [create, prepareInsert, insert] = crossings;
    expect(create).toMatchObject({ name: 'sqlite.exec', effect: 'write', call: 'sync' });
    expect(prepareInsert).toMatchObject({ name: 'sqlite.prepare', effect: 'read', lossy: [] });
    expect(insert).toMatchObject({ name: 'sqlite.query', effect: 'write' });
    expect(insert?.input?.data).toContain('INSERT INTO orders');
    const select = crossings.filter(({ effect, name }) => name === 'sqlite.query' && effect === 'read');
    expect(select.map(({ call }) => call)).toEqual(['sync', 'sync', 'sync', 'iterator']);
    expect(crossings.flatMap(({ lossy }) => lossy)).toEqual([]);
  });

  it('keeps statement texts out of what other exporters see', async () => {
    agent('trader', () => trade(new (sqliteClient(DatabaseSync))(':memory:')))();
    const slim = host.own
      .getFinishedSpans()
      .map(({ name, attributes }) => [name, attributes['db.query.text'], attributes['db.operation.name']]);
    expect(slim[0]).toEqual(['CREATE', undefined, 'CREATE']);
    expect((await host.recorded())[0]?.attributes['db.query.text']).toMatch(/^CREATE TABLE/);
  });

  it('wraps one open database as well, whose other members stay its own', () => {
    const plain = new DatabaseSync(':memory:');
    const database = sqliteClient(plain);
    expect(database).toBeInstanceOf(DatabaseSync);
    expect(database.isOpen).toBe(true);
    expect(database.location()).toBe(null);
    expect(database.prepare).toBe(database.prepare);
    const statement = database.prepare('SELECT 1 AS one');
    expect([statement.sourceSQL, statement.get()]).toEqual(['SELECT 1 AS one', { __proto__: null, one: 1 }]);
    database.close();
    expect(plain.isOpen).toBe(false);
  });
});

describe('a live statement in a replay', () => {
  it('is prepared then and there, on a database opened for it', async () => {
    const path = join(folder, 'ledger.sqlite');
    const setUp = new DatabaseSync(path);
    setUp.exec('CREATE TABLE prices (price INTEGER); INSERT INTO prices VALUES (10)');
    const Database = sqliteClient(DatabaseSync);
    const run = agent('trader', () => {
      const database = new Database(path);
      const row = database.prepare('SELECT price FROM prices').get();
      database.close();
      return row?.price;
    });
    const { replayed } = await recordAndReplay(host, run, {
      live: ['sqlite.query'],
      between: () => setUp.exec('UPDATE prices SET price = 11'),
    });
    expect(replayed).toEqual({ value: 11 });
    setUp.close();
  });
});
