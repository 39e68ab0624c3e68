import * as libsql from '@libsql/client';
import { type Client, LibsqlBatchError, LibsqlError, type ResultSet } from '@libsql/client';
import { libsqlClient, tool } from '@reenact/instrumentation';
import { thrownBy } from '../error-facts.ts';
import type { FidelityAct, FidelityLibrary, Peer } from '../fidelity-library.ts';
import { startSqlitePeer } from './sqlite-peer.ts';
import { wrappedByApplication } from './wrapped-by-application.ts';

/** What the application makes its clients with: behind the gate while it is instrumented. */
let { createClient }: Pick<typeof libsql, 'createClient'> = libsql;

const crossing = (name: string, outcome = 'returned'): string => `database:libsql.${name} ${outcome} 0`;
const execute = crossing('execute');

function opened({ address }: Peer, timeout = 5000): Client {
  return createClient({ url: `file:${address}`, timeout });
}

const tables =
  'DROP TABLE IF EXISTS orders; CREATE TABLE orders (id INTEGER PRIMARY KEY, symbol TEXT NOT NULL, note BLOB)';

/** Runs an act over a client of its own with some orders in its file. */
function withOrders(act: (client: Client, peer: Peer) => unknown): FidelityAct['run'] {
  return async (peer) => {
    const client = opened(peer);
    await client.executeMultiple(tables);
    await client.batch(['ACME', 'INIT', 'ZERO'].map(inserted), 'write');
    try {
      return await act(client, peer);
    } finally {
      client.close();
    }
  };
}

function inserted(symbol: string | null): { sql: string; args: [string | null, Uint8Array] } {
  return { sql: 'INSERT INTO orders (symbol, note) VALUES (?, ?)', args: [symbol, new Uint8Array([1, 255])] };
}

/** Crossings of `withOrders` around those of its act. */
function around(...crossings: readonly string[]): string[] {
  return [crossing('createClient'), crossing('executeMultiple'), crossing('batch'), ...crossings, crossing('close')];
}

/** Everything that can be looked at of a result: rows are like arrays, with columns by name. */
function resultFacts(result: ResultSet): unknown {
  const rows = result.rows.map((row) => ({
    byName: { ...row },
    byIndex: Array.from(row),
    members: Object.getOwnPropertyDescriptors(row),
  }));
  return { ...result, class: result.constructor.name, rows, json: JSON.stringify(result) };
}

const call: FidelityAct = {
  run: withOrders(async (client) => {
    const found = await client.execute({
      sql: 'SELECT * FROM orders WHERE symbol = :symbol',
      args: { symbol: 'INIT' },
    });
    const joined = await client.execute('SELECT id, symbol, id AS id, 1 AS length, 2 AS "0" FROM orders', []);
    const changed = await client.execute(inserted('NEXT'));
    const missing = await thrownBy(() => client.execute('SELECT * FROM nowhere'));
    const refused = await thrownBy(() => client.execute(inserted(null)));
    return { found: resultFacts(found), joined: resultFacts(joined), changed: resultFacts(changed), missing, refused };
  }),
  shows: {
    found: {
      columns: ['id', 'symbol', 'note'],
      columnTypes: ['INTEGER', 'TEXT', 'BLOB'],
      rows: [{ byName: { id: 2, symbol: 'INIT' }, byIndex: [2, 'INIT', new Uint8Array([1, 255]).buffer] }],
      json: /"rows":\[\[2,"INIT","Af8="\]\],"rowsAffected":0,"lastInsertRowid":null/,
      class: 'ResultSetImpl',
    },
    joined: { rows: { 0: { byName: { id: 1, symbol: 'ACME' }, byIndex: [1, 'ACME', 1, 1, 2] } } },
    changed: { rowsAffected: 1, lastInsertRowid: 4n },
    missing: { class: LibsqlError, fields: { code: 'SQLITE_ERROR', rawCode: 1 } },
    refused: {
      class: LibsqlError,
      fields: { code: 'SQLITE_CONSTRAINT', extendedCode: 'SQLITE_CONSTRAINT_NOTNULL', rawCode: 1299 },
    },
  },
  crossings: around(execute, execute, execute, crossing('execute', 'threw'), crossing('execute', 'threw')),
};

const midStreamError: FidelityAct = {
  run: withOrders(async (client) => {
    const statements = [
      inserted('NEXT'),
      ['INSERT INTO orders (id) VALUES (?)', [1]] as [string, number[]],
      'SELECT 1',
    ];
    const broken = await thrownBy(() => client.batch(statements, 'write'));
    const { rows } = await client.execute('SELECT count(*) AS n FROM orders');
    return { broken, left: rows[0]?.n };
  }),
  shows: { broken: { class: LibsqlBatchError, fields: { statementIndex: 1, code: 'SQLITE_CONSTRAINT' } }, left: 3 },
  crossings: around(crossing('batch', 'threw'), execute),
};

/** Asks a file to which somebody else is writing. */
function whileLocked(after: (client: Client) => Promise<unknown>): FidelityAct['run'] {
  return withOrders(async (writer, peer) => {
    const client = opened(peer, 20);
    const transaction = await writer.transaction('write');
    const locked = await thrownBy(() => client.execute(inserted('LATE')));
    await transaction.rollback();
    const seen = await after(client);
    client.close();
    return { locked, seen };
  });
}

const lockedCrossings = (...after: readonly string[]): string[] =>
  around(
    crossing('createClient'),
    crossing('transaction'),
    crossing('execute', 'threw'),
    crossing('rollback'),
    ...after,
    crossing('close'),
  );
const busy = { class: LibsqlError, fields: { code: 'SQLITE_BUSY', rawCode: 5 } };

const retry: FidelityAct = {
  run: whileLocked(async (client) => resultFacts(await client.execute(inserted('LATE')))),
  shows: { locked: busy, seen: { rowsAffected: 1 } },
  crossings: lockedCrossings(execute),
};

const timeout: FidelityAct = {
  run: whileLocked(async () => 'given up'),
  shows: { locked: busy, seen: 'given up' },
  crossings: lockedCrossings(),
};

const nestedTools: FidelityAct = {
  run: withOrders((client) => {
    const count = async (symbol: string): Promise<number> => {
      const { rows } = await client.execute('SELECT count(*) FROM orders WHERE symbol = ?', [symbol]);
      return Number(rows[0]?.[0]);
    };
    const inner = tool('inner', count);
    const outer = tool('outer', async (symbol: string) => (await inner(symbol)) + (await count(symbol)));
    return outer('ACME');
  }),
  shows: 2,
  crossings: around('tool:outer returned 0', 'tool:inner returned 0', execute, execute),
};

const doubleIteration: FidelityAct = {
  run: withOrders(async (client) => {
    const { rows } = await client.execute('SELECT symbol FROM orders');
    return { first: rows.map(({ symbol }) => symbol), again: rows.map((row) => row[0]) };
  }),
  shows: { first: ['ACME', 'INIT', 'ZERO'], again: ['ACME', 'INIT', 'ZERO'] },
  crossings: around(execute),
};

async function placed(client: Client): Promise<unknown> {
  const transaction = await client.transaction('write');
  const order = await transaction.execute(inserted('NEXT'));
  const both = await transaction.batch(['SELECT 1 AS one', inserted('LAST')]);
  await transaction.executeMultiple('DELETE FROM orders WHERE id = 1; DELETE FROM orders WHERE id = 2');
  const wasClosed = transaction.closed;
  await transaction.commit();
  const late = await thrownBy(() => transaction.execute('SELECT 1'));
  const states = [wasClosed, transaction.closed, client.closed, client.protocol];
  return { order: order.lastInsertRowid, both: both.map(resultFacts), late, states };
}

const helpers: FidelityAct = {
  run: withOrders(async (client) => {
    const committed = await placed(client);
    const other = await client.transaction('deferred');
    const refused = await thrownBy(() => other.execute(inserted(null)));
    other.close();
    const migrated = await client.migrate(['ALTER TABLE orders ADD COLUMN price REAL']);
    const left = await client.execute('SELECT id, price FROM orders');
    const memory = createClient({ url: ':memory:', intMode: 'bigint' });
    const big = await memory.execute('SELECT 9007199254740993 AS big');
    memory.close();
    const closed = await thrownBy(() => memory.execute('SELECT 1'));
    return {
      committed,
      refused,
      migrated: migrated.map(resultFacts),
      left: resultFacts(left),
      big: resultFacts(big),
      closed,
    };
  }),
  shows: {
    committed: {
      order: 4n,
      both: [{ rows: [{ byName: { one: 1 } }] }, { lastInsertRowid: 5n }],
      late: { class: LibsqlError, fields: { code: 'TRANSACTION_CLOSED' } },
      states: [false, true, false, 'file'],
    },
    refused: { class: LibsqlError },
    left: { rows: [{ byName: { id: 3, price: null } }, { byName: { id: 4 } }, { byName: { id: 5 } }] },
    big: { rows: [{ byIndex: [9007199254740993n] }] },
    closed: { class: LibsqlError, fields: { code: 'CLIENT_CLOSED' } },
  },
  crossings: around(
    crossing('transaction'),
    execute,
    crossing('batch'),
    crossing('executeMultiple'),
    crossing('closed'),
    crossing('commit'),
    crossing('execute', 'threw'),
    crossing('closed'),
    crossing('closed'),
    crossing('transaction'),
    crossing('execute', 'threw'),
    crossing('closeTransaction'),
    crossing('migrate'),
    execute,
    crossing('createClient'),
    execute,
    crossing('close'),
    crossing('execute', 'threw'),
  ),
};

const whole = { why: 'A result comes whole: there is no stream of it.' } as const;

/** `@libsql/client` with a file behind `libsqlClient`. */
export const libsqlFidelity: FidelityLibrary = {
  name: '`@libsql/client` (`libsqlClient`), with a file',
  start: startSqlitePeer,
  patch: () => {
    createClient = libsqlClient(libsql).createClient;
    return () => {
      createClient = libsql.createClient;
    };
  },
  ...wrappedByApplication,
  cases: {
    call,
    stream: whole,
    abort: whole,
    'mid-stream error': midStreamError,
    '429 then success': retry,
    timeout,
    'reverse parallel': { why: 'A statement on a file runs while it is asked, before another one can be.' },
    'nested tools': nestedTools,
    'double iteration': doubleIteration,
    tee: whole,
    helpers,
  },
};
