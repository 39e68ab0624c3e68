import { betterSqlite3Client, tool } from '@reenact/instrumentation';
import BetterSqlite3 from 'better-sqlite3';
import { errorFacts } from '../error-facts.ts';
import type { FidelityAct, FidelityLibrary, Peer } from '../fidelity-library.ts';
import { startSqlitePeer } from './sqlite-peer.ts';
import { wrappedByApplication } from './wrapped-by-application.ts';

type Database = BetterSqlite3.Database;

/** What the application makes its databases of: behind the gate while it is instrumented. */
let DatabaseClass: typeof BetterSqlite3 = BetterSqlite3;

const orders =
  'DROP TABLE IF EXISTS orders; CREATE TABLE orders (id INTEGER PRIMARY KEY, symbol TEXT NOT NULL, note BLOB)';

/** Runs an act over a database of its own with some orders in it. */
function withOrders(act: (database: Database) => unknown): FidelityAct['run'] {
  return async ({ address }: Peer) => {
    const database = new DatabaseClass(address);
    const insert = database.exec(orders).prepare('INSERT INTO orders (symbol, note) VALUES (?, ?)');
    for (const symbol of ['ACME', 'INIT', 'ZERO']) insert.run(symbol, Buffer.from([1, 255]));
    try {
      return await act(database);
    } finally {
      database.close();
    }
  };
}

const crossing = (name: string, outcome = 'returned'): string => `database:sqlite.${name} ${outcome} 0`;

/** Crossings of `withOrders` around those of its act. */
function around(...crossings: readonly string[]): string[] {
  const written = ['exec', 'prepare', 'query', 'query', 'query'].map((name) => crossing(name));
  return [...written, ...crossings, crossing('close')];
}

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return errorFacts(error);
  }
}

const all = (database: Database): BetterSqlite3.Statement => database.prepare('SELECT * FROM orders ORDER BY id');

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
    missing: { class: BetterSqlite3.SqliteError, message: 'no such table: nowhere', fields: { code: 'SQLITE_ERROR' } },
  },
  crossings: around(
    crossing('prepare'),
    crossing('prepare'),
    crossing('query'),
    crossing('prepare', 'threw'),
    crossing('query'),
    crossing('query'),
  ),
};

const stream: FidelityAct = {
  run: withOrders((database) => [...all(database).iterate()]),
  shows: [{ symbol: 'ACME' }, { symbol: 'INIT' }, { symbol: 'ZERO' }],
  crossings: around(crossing('prepare'), crossing('query', 'ended')),
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
  crossings: around(crossing('prepare'), crossing('query', 'aborted')),
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
  shows: { seen: [{ size: 1 }], error: { class: BetterSqlite3.SqliteError, message: 'integer overflow' } },
  crossings: around(crossing('prepare'), crossing('query', 'failed')),
};

const nestedTools: FidelityAct = {
  run: withOrders((database) => {
    const statement = 'SELECT count(*) FROM orders WHERE symbol = ?';
    const count = (symbol: string): number => database.prepare(statement).pluck().get(symbol) as number;
    const inner = tool('inner', count);
    const outer = tool('outer', (symbol: string) => inner(symbol) + count(symbol));
    return outer('ACME');
  }),
  shows: 2,
  crossings: around(
    'tool:outer returned 0',
    'tool:inner returned 0',
    crossing('prepare'),
    crossing('query'),
    crossing('prepare'),
    crossing('query'),
  ),
};

const doubleIteration: FidelityAct = {
  run: withOrders((database) => {
    const rows = all(database);
    const iterator = rows.iterate();
    return { first: [...iterator], again: [...iterator], anew: [...rows.iterate()] };
  }),
  shows: { first: { length: 3 }, again: { length: 0 }, anew: { length: 3 } },
  crossings: around(crossing('prepare'), crossing('query', 'ended'), crossing('query', 'ended')),
};

const helpers: FidelityAct = {
  run: withOrders((database) => {
    const insert = database.prepare('INSERT INTO orders (symbol) VALUES (?)');
    const place = database.transaction((symbols: readonly (string | null)[]) =>
      symbols.map((symbol) => insert.run(symbol).lastInsertRowid),
    );
    const placed = place(['NEXT', 'LAST']);
    const refused = thrownBy(() => place(['GONE', null]));
    const arrays = all(database).raw(true).safeIntegers(true).all();
    return { placed, refused, arrays, version: database.pragma('user_version', { simple: true }) };
  }),
  shows: {
    placed: [4, 5],
    refused: { class: BetterSqlite3.SqliteError, fields: { code: 'SQLITE_CONSTRAINT_NOTNULL' } },
    arrays: { 0: [1n, 'ACME', Buffer.from([1, 255])], length: 5 },
    version: 0,
  },
  crossings: around(
    crossing('prepare'),
    crossing('begin'),
    crossing('query'),
    crossing('query'),
    crossing('commit'),
    crossing('begin'),
    crossing('query'),
    crossing('query', 'threw'),
    crossing('prepare'),
    crossing('query'),
    crossing('pragma'),
  ),
};

const synchronous = { why: 'Its calls are synchronous: nothing runs, waits or is called off while one does.' } as const;

/** `better-sqlite3` behind `betterSqlite3Client`. */
export const betterSqlite3Fidelity: FidelityLibrary = {
  name: '`better-sqlite3` (`betterSqlite3Client`)',
  start: startSqlitePeer,
  patch: () => {
    DatabaseClass = betterSqlite3Client(BetterSqlite3);
    return () => {
      DatabaseClass = BetterSqlite3;
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
