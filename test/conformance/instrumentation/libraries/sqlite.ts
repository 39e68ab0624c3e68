import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { sqliteClient, tool } from '@reenact/instrumentation';
import { errorFacts } from '../error-facts.ts';
import type { FidelityAct, FidelityLibrary, Peer } from '../fidelity-library.ts';
import { startSqlitePeer } from './sqlite-peer.ts';
import { wrappedByApplication } from './wrapped-by-application.ts';

/** What the application makes its databases of: behind the gate while it is instrumented. */
let Database: typeof DatabaseSync = DatabaseSync;

/** Runs an act over a database of its own with some orders in it. */
function withOrders(act: (database: DatabaseSync, peer: Peer) => unknown): FidelityAct['run'] {
  return async (peer) => {
    const database = new Database(peer.address);
    database.exec('DROP TABLE IF EXISTS orders; CREATE TABLE orders (id INTEGER PRIMARY KEY, symbol TEXT, note BLOB)');
    const insert = database.prepare('INSERT INTO orders (symbol, note) VALUES (?, ?)');
    for (const symbol of ['ACME', 'INIT', 'ZERO']) insert.run(symbol, new Uint8Array([1, 255]));
    try {
      return await act(database, peer);
    } finally {
      database.close();
    }
  };
}

/** Crossings of `withOrders` around those of its act. */
function around(...crossings: readonly string[]): string[] {
  const written = ['exec', 'prepare', 'query', 'query', 'query'].map((name) => `database:sqlite.${name} returned 0`);
  return [...written, ...crossings, 'database:sqlite.close returned 0'];
}

const prepared = 'database:sqlite.prepare returned 0';
const asked = 'database:sqlite.query returned 0';
const iterated = 'database:sqlite.query ended 0';
const failed = 'database:sqlite.query threw 0';

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return errorFacts(error);
  }
}

const all = (database: DatabaseSync): StatementSync => database.prepare('SELECT * FROM orders ORDER BY id');

const call: FidelityAct = {
  run: withOrders((database) => {
    const found = database.prepare('SELECT * FROM orders WHERE symbol = :symbol');
    const changed = database.prepare('UPDATE orders SET symbol = ? WHERE id = ?').run('NEXT', 1);
    const missing = thrownBy(() => database.prepare('SELECT * FROM nowhere'));
    return { rows: [found.get({ symbol: 'INIT' }), found.get({ symbol: 'NONE' })], changed, missing };
  }),
  shows: {
    rows: [{ id: 2, symbol: 'INIT' }, undefined],
    changed: { changes: 1 },
    missing: { class: Error, message: 'no such table: nowhere', fields: { errcode: 1 } },
  },
  crossings: around(prepared, prepared, asked, 'database:sqlite.prepare threw 0', asked, asked),
};

const stream: FidelityAct = {
  run: withOrders((database) => [...all(database).iterate()]),
  shows: [{ symbol: 'ACME' }, { symbol: 'INIT' }, { symbol: 'ZERO' }],
  crossings: around(prepared, iterated),
};

const abort: FidelityAct = {
  run: withOrders((database) => {
    const left: unknown[] = [];
    for (const row of all(database).iterate()) {
      left.push(row);
      if (left.length === 2) break;
    }
    return left;
  }),
  shows: [{ symbol: 'ACME' }, { symbol: 'INIT' }],
  crossings: around(prepared, 'database:sqlite.query aborted 0'),
};

const midStreamError: FidelityAct = {
  run: withOrders((database) => {
    // The second row is too small a number to take its absolute value.
    const rows = database.prepare(
      'SELECT abs(CASE id WHEN 2 THEN -9223372036854775808 ELSE id END) AS size FROM orders',
    );
    const seen: unknown[] = [];
    const error = thrownBy(() => {
      for (const row of rows.iterate()) seen.push(row);
    });
    return { seen, error };
  }),
  shows: { seen: [{ size: 1 }], error: { class: Error, message: 'integer overflow' } },
  crossings: around(prepared, 'database:sqlite.query failed 0'),
};

const nestedTools: FidelityAct = {
  run: withOrders((database) => {
    const count = (symbol: string): SQLOutputValue | undefined =>
      database.prepare('SELECT count(*) AS found FROM orders WHERE symbol = ?').get(symbol)?.found;
    const inner = tool('inner', count);
    const outer = tool('outer', (symbol: string) => Number(inner(symbol)) + Number(count(symbol)));
    return outer('ACME');
  }),
  shows: 2,
  crossings: around('tool:outer returned 0', 'tool:inner returned 0', prepared, asked, prepared, asked),
};

const doubleIteration: FidelityAct = {
  run: withOrders((database) => {
    const rows = all(database);
    const iterator = rows.iterate();
    return { first: [...iterator], again: [...iterator], anew: [...rows.iterate()] };
  }),
  shows: { first: { length: 3 }, again: { length: 0 }, anew: { length: 3 } },
  crossings: around(prepared, iterated, iterated),
};

const helpers: FidelityAct = {
  run: withOrders((database) => {
    const rows = all(database);
    rows.setReturnArrays(true);
    const arrays = rows.all();
    rows.setReadBigInts(true);
    const big = rows.all();
    database.exec('BEGIN');
    const duplicate = thrownBy(() => database.prepare('INSERT INTO orders (id) VALUES (1)').run());
    database.exec('ROLLBACK');
    const isOwnClass = database instanceof DatabaseSync;
    return { arrays, big, duplicate, isOwnClass, columns: rows.columns().map(({ name }) => name) };
  }),
  shows: {
    arrays: { 0: [1, 'ACME', new Uint8Array([1, 255])] },
    big: { 0: [1n, 'ACME', new Uint8Array([1, 255])] },
    duplicate: { fields: { errcode: 1555 } },
    isOwnClass: true,
    columns: ['id', 'symbol', 'note'],
  },
  crossings: around(
    prepared,
    asked,
    asked,
    'database:sqlite.exec returned 0',
    prepared,
    failed,
    'database:sqlite.exec returned 0',
    'database:sqlite.columns returned 0',
  ),
};

const synchronous = { why: 'Its calls are synchronous: nothing runs, waits or is called off while one does.' } as const;

/** `node:sqlite` behind `sqliteClient`, a `boundary.client` that comes with it. */
export const sqliteFidelity: FidelityLibrary = {
  name: '`node:sqlite` (`sqliteClient`)',
  start: startSqlitePeer,
  patch: () => {
    Database = sqliteClient(DatabaseSync);
    return () => {
      Database = DatabaseSync;
    };
  },
  ...wrappedByApplication,
  cases: {
    call,
    stream,
    abort,
    'mid-stream error': midStreamError,
    '429 then success': { why: 'A database in the process turns nobody away.' },
    timeout: synchronous,
    'reverse parallel': synchronous,
    'nested tools': nestedTools,
    'double iteration': doubleIteration,
    tee: { why: 'Rows come by an iterator, which cannot be split.' },
    helpers,
  },
};
