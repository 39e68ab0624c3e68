import { mysql2Client, tool } from '@reenact/instrumentation';
import callbacks from 'mysql2';
import promises, {
  type Connection,
  type ConnectionOptions,
  type FieldPacket,
  type RowDataPacket,
} from 'mysql2/promise';
import { thrownBy } from '../error-facts.ts';
import type { FidelityAct, FidelityLibrary, Peer } from '../fidelity-library.ts';
import { inTurn } from '../in-turn.ts';
import { MOODS } from '../peers/moody-proxy.ts';
import { startMysqlPeer } from './mysql2-peer.ts';
import { mysql2RowCases } from './mysql2-rows.ts';
import { wrappedByApplication } from './wrapped-by-application.ts';

/** What the application connects with: behind the gate while it is instrumented. */
let mysql: Pick<typeof promises, 'createConnection' | 'createPool'> = promises;
let mysqlWithCallbacks: Pick<typeof callbacks, 'createConnection' | 'createPool'> = callbacks;

function optionsFor({ address }: Peer): ConnectionOptions {
  const [host = '', port] = address.split(':');
  return { host, port: Number(port), user: 'trader', password: 'planted-secret', database: 'shop' };
}

async function connected(peer: Peer): Promise<Connection> {
  const connection = await mysql.createConnection(optionsFor(peer));
  connection.on('error', () => undefined);
  return connection;
}

/** Runs an act over a connection of its own and a table with an order in it. */
function withConnection(act: (connection: Connection) => Promise<unknown>): FidelityAct['run'] {
  return async (peer) => {
    const connection = await connected(peer);
    await connection.query('DROP TABLE IF EXISTS orders');
    await connection.query('CREATE TABLE orders (id INTEGER PRIMARY KEY, symbol TEXT NOT NULL, note TEXT)');
    try {
      return await act(connection);
    } finally {
      await connection.end();
    }
  };
}

const crossing = (name: string, outcome = 'returned'): string => `database:mysql.${name} ${outcome} 0`;
const query = crossing('query');

/** Crossings of `withConnection` around those of its act. */
function around(...crossings: readonly string[]): string[] {
  return [crossing('connect'), query, query, ...crossings, crossing('end')];
}

/** Rows and headers as plain objects: the driver makes a class for each result. */
function resultFacts([result, fields]: readonly [unknown, FieldPacket[]?]): unknown {
  const plain = Array.isArray(result) ? result.map((row) => ({ ...(row as object) })) : { ...(result as object) };
  return { result: plain, fields: fields?.map(({ name, columnType }) => [name, columnType]) };
}

const insert = 'INSERT INTO orders (symbol) VALUES (?)';

const call: FidelityAct = {
  run: withConnection(async (connection) => {
    const inserted = await connection.query(insert, ['ACME']);
    const selected = await connection.query({ sql: 'SELECT * FROM orders WHERE symbol = ?', values: ['ACME'] });
    const arrays = await connection.query({ sql: 'SELECT id, symbol FROM orders', rowsAsArray: true });
    const missing = await thrownBy(() => connection.query('SELECT * FROM nowhere'));
    return { inserted: resultFacts(inserted), selected: resultFacts(selected), arrays: arrays[0], missing };
  }),
  shows: {
    inserted: { result: { affectedRows: 1, insertId: 1 } },
    selected: {
      result: [{ id: 1, symbol: 'ACME', note: null }],
      fields: [
        ['id', 8],
        ['symbol', 253],
        ['note', 253],
      ],
    },
    arrays: [[1, 'ACME']],
    missing: { message: 'no such table: nowhere', fields: { code: 'ER_PARSE_ERROR', errno: 1064, sqlState: /./ } },
  },
  crossings: around(query, query, query, crossing('query', 'threw')),
};

const midStreamError: FidelityAct = {
  run: async (peer) => {
    const connection = await connected(peer);
    const broken = await thrownBy(() => connection.query(`SELECT 'answer' /* ${MOODS.breaks} */`));
    const after = await thrownBy(() => connection.query('SELECT 2'));
    return { broken, after };
  },
  shows: {
    broken: { class: Error, fields: { code: 'PROTOCOL_CONNECTION_LOST', fatal: true } },
    after: { class: Error, message: /closed state/ },
  },
  crossings: [crossing('connect'), crossing('query', 'threw'), crossing('query', 'threw')],
};

const retry: FidelityAct = {
  run: async (peer) => {
    const seen: unknown[] = [];
    while (seen.length < 2) {
      const connection = await connected(peer);
      const answer = connection.query(`SELECT 1 AS one /* ${MOODS.turnsAway} */`);
      seen.push(await answer.then(resultFacts, ({ code }: { code?: string }) => code));
      connection.destroy();
    }
    return seen;
  },
  shows: ['PROTOCOL_CONNECTION_LOST', { result: [{ one: 1 }] }],
  crossings: [crossing('connect'), crossing('query', 'threw'), crossing('connect'), query],
};

const timeout: FidelityAct = {
  run: async (peer) => {
    const connection = await connected(peer);
    const late = await thrownBy(() => connection.query({ sql: `SELECT 1 /* ${MOODS.hangs} */`, timeout: 30 }));
    connection.destroy();
    return late;
  },
  shows: { class: Error, fields: { code: 'PROTOCOL_SEQUENCE_TIMEOUT' } },
  crossings: [crossing('connect'), crossing('query', 'threw')],
};

const names = ['first', 'second', 'third'] as const;

const reverseParallel: FidelityAct = {
  run: async (peer) => {
    const finished: unknown[] = [];
    const connections: Connection[] = [];
    for (const _ of names) connections.push(await connected(peer));
    const ask = async (name: string, index: number): Promise<unknown> => {
      const sql = `SELECT '${name}' AS name /* ${MOODS.holdsBack} */`;
      const [rows] = (await connections[index]?.query<RowDataPacket[]>(sql)) ?? [];
      finished.push(rows?.[0]?.name);
      connections[index]?.destroy();
      return rows?.map((row) => ({ ...row }));
    };
    return { answers: await Promise.all(names.map(ask)), finished };
  },
  shows: { answers: names.map((name) => [{ name }]), finished: [...names].reverse() },
  crossings: [...names.map(() => crossing('connect')), ...names.map(() => query)],
};

const nestedTools: FidelityAct = {
  run: withConnection((connection) => {
    const count = async (symbol: string): Promise<number> => {
      const sql = 'SELECT count(*) + 1 AS n FROM orders WHERE symbol = ?';
      const [rows] = await connection.query<RowDataPacket[]>(sql, [symbol]);
      return Number(rows[0]?.n);
    };
    const inner = tool('inner', count);
    const outer = tool('outer', async (symbol: string) => (await inner(symbol)) + (await count(symbol)));
    return outer('ACME');
  }),
  shows: 2,
  crossings: around('tool:outer returned 0', 'tool:inner returned 0', query, query),
};

const doubleIteration: FidelityAct = {
  run: withConnection(async (connection) => {
    const [rows] = await connection.query<RowDataPacket[]>('SELECT 1 AS n UNION SELECT 2');
    return { first: rows.map(({ n }) => n as number), again: rows.map(({ n }) => n as number) };
  }),
  shows: { first: [1, 2], again: [1, 2] },
  crossings: around(query),
};

function byCallback(peer: Peer): Promise<unknown> {
  const connection = mysqlWithCallbacks.createConnection(optionsFor(peer) as callbacks.ConnectionOptions);
  return new Promise((resolve) => {
    connection.query('SELECT 9 AS nine', (error, rows, fields) => {
      connection.end(() => resolve([error, resultFacts([rows, fields])]));
    });
  });
}

const helpers: FidelityAct = {
  run: async (peer) => {
    const pool = mysql.createPool({ ...optionsFor(peer), connectionLimit: 1 });
    const connection = await pool.getConnection();
    await connection.query('DROP TABLE IF EXISTS orders');
    await connection.query('CREATE TABLE orders (id INTEGER PRIMARY KEY, symbol TEXT NOT NULL)');
    await connection.beginTransaction();
    await connection.query(insert, ['ACME']);
    await connection.rollback();
    connection.release();
    const left = await pool.query('SELECT count(*) AS n FROM orders');
    await pool.end();
    return { left: resultFacts(left), called: await byCallback(peer) };
  },
  shows: { left: { result: [{ n: 0 }] }, called: { 0: null, 1: { result: [{ nine: 9 }] } } },
  crossings: [
    crossing('getConnection'),
    query,
    query,
    crossing('beginTransaction'),
    query,
    crossing('rollback'),
    query,
    crossing('end'),
    crossing('connect'),
    query,
    crossing('end'),
  ],
};

const rowByRow = mysql2RowCases({
  connect: (peer) => mysqlWithCallbacks.createConnection(optionsFor(peer)),
  createPool: (peer) => mysqlWithCallbacks.createPool({ ...optionsFor(peer), connectionLimit: 1 }),
  connectWithPromises: connected,
});

/** `mysql2` behind `mysql2Client`. */
export const mysql2Fidelity: FidelityLibrary = {
  name: '`mysql2` (`mysql2Client`), answered by the server side of the driver',
  start: startMysqlPeer,
  patch: () => {
    [mysql, mysqlWithCallbacks] = [mysql2Client(promises), mysql2Client(callbacks)];
    return () => {
      [mysql, mysqlWithCallbacks] = [promises, callbacks];
    };
  },
  ...wrappedByApplication,
  cases: {
    call,
    stream: rowByRow.stream,
    abort: rowByRow.abort,
    'mid-stream error': inTurn(midStreamError, rowByRow['mid-stream error']),
    '429 then success': retry,
    timeout,
    'reverse parallel': reverseParallel,
    'nested tools': nestedTools,
    'double iteration': inTurn(doubleIteration, rowByRow['double iteration']),
    tee: rowByRow.tee,
    helpers,
  },
};
