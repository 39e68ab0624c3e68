import { inspect } from 'node:util';
import { pgClient, tool } from '@reenact/instrumentation';
import pg from 'pg';
import { thrownBy } from '../error-facts.ts';
import type { FidelityAct, FidelityLibrary, Peer } from '../fidelity-library.ts';
import { inTurn } from '../in-turn.ts';
import { MOODS } from '../peers/moody-proxy.ts';
import { startPgPeer } from './pg-peer.ts';
import { pgRowCases } from './pg-rows.ts';
import { wrappedByApplication } from './wrapped-by-application.ts';

/** What the application connects with: behind the gate while it is instrumented. */
let driver: Pick<typeof pg, 'Client' | 'Pool'> = pg;

function optionsFor({ address }: Peer): pg.PoolConfig {
  return { connectionString: `postgres://postgres@${address}/postgres`, max: 1 };
}

async function connected(peer: Peer, options: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new driver.Client({ ...optionsFor(peer), ...options });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Runs an act over a connection of its own and an empty table. */
function withClient(act: (client: pg.Client) => Promise<unknown>): FidelityAct['run'] {
  return async (peer) => {
    const client = await connected(peer);
    await client.query(
      'DROP TABLE IF EXISTS orders; CREATE TABLE orders (id int PRIMARY KEY, symbol text, at timestamptz, facts jsonb, note bytea)',
    );
    try {
      return await act(client);
    } finally {
      await client.end();
    }
  };
}

const crossing = (name: string, outcome = 'returned'): string => `database:postgresql.${name} ${outcome} 0`;
const query = crossing('query');

/** Crossings of `withClient` around those of its act. */
function around(...crossings: readonly string[]): string[] {
  return [crossing('connect'), query, ...crossings, crossing('end')];
}

/** Not the ids of tables, which the server counts up. */
function resultFacts({ command, rowCount, rows, fields }: pg.QueryResult): unknown {
  return { command, rowCount, rows, fields: fields.map(({ name, dataTypeID, format }) => [name, dataTypeID, format]) };
}

/** All that there is to see of a result, its classes and parsers, too. */
function printed(result: unknown): string {
  return inspect(result, { depth: 4 });
}

const insert = 'INSERT INTO orders VALUES ($1, $2, $3, $4, $5) RETURNING id';
const order = (id: number): unknown[] => [id, 'ACME', new Date(0), { shares: [1000, null] }, Buffer.from([1, 255])];

const call: FidelityAct = {
  run: withClient(async (client) => {
    const inserted = await client.query(insert, order(7));
    const selected = await client.query({ text: 'SELECT * FROM orders WHERE symbol = $1', values: ['ACME'] });
    const duplicate = await thrownBy(() => client.query(insert, order(7)));
    const several = (await client.query('SELECT 1 AS one; SELECT 2 AS two')) as unknown as pg.QueryResult[];
    return {
      inserted: resultFacts(inserted),
      selected: resultFacts(selected),
      duplicate,
      several: several.map(resultFacts),
      printed: printed(several),
      isTheirs: inserted instanceof pg.Result,
    };
  }),
  shows: {
    inserted: { command: 'INSERT', rowCount: 1, rows: [{ id: 7 }] },
    selected: { rows: [{ id: 7, at: new Date(0), facts: { shares: [1000, null] }, note: Buffer.from([1, 255]) }] },
    duplicate: { class: pg.DatabaseError, fields: { code: '23505', constraint: 'orders_pkey' } },
    several: [{ rows: [{ one: 1 }] }, { rows: [{ two: 2 }] }],
    printed: /^\[\n {2}Result \{.*\bField \{.*\[Function: parseInteger\]/s,
    isTheirs: true,
  },
  crossings: around(query, query, crossing('query', 'threw'), query),
};

const midStreamError: FidelityAct = {
  run: async (peer) => {
    const client = await connected(peer);
    const broken = await thrownBy(() => client.query(`SELECT 1 /* ${MOODS.breaks} */`));
    const after = await thrownBy(() => client.query('SELECT 2'));
    return { broken, after };
  },
  shows: {
    broken: { class: Error, message: 'Connection terminated unexpectedly' },
    after: { class: Error, message: /not queryable/ },
  },
  crossings: [crossing('connect'), crossing('query', 'threw'), crossing('query', 'threw')],
};

const retry: FidelityAct = {
  run: async (peer) => {
    const seen: unknown[] = [];
    while (seen.length < 2) {
      const client = await connected(peer);
      const answer = client.query(`SELECT 1 AS one /* ${MOODS.turnsAway} */`);
      seen.push(await answer.then(resultFacts, ({ message }: Error) => message));
      await client.end().catch(() => undefined);
    }
    return seen;
  },
  shows: ['Connection terminated unexpectedly', { rows: [{ one: 1 }] }],
  crossings: [
    crossing('connect'),
    crossing('query', 'threw'),
    crossing('end'),
    crossing('connect'),
    query,
    crossing('end'),
  ],
};

const timeout: FidelityAct = {
  run: async (peer) => {
    const client = await connected(peer, { query_timeout: 30 });
    const late = await thrownBy(() => client.query(`SELECT 1 /* ${MOODS.hangs} */`));
    await client.end();
    return late;
  },
  shows: { class: Error, message: 'Query read timeout' },
  crossings: [crossing('connect'), crossing('query', 'threw'), crossing('end')],
};

const names = ['first', 'second', 'third'] as const;

const reverseParallel: FidelityAct = {
  run: async (peer) => {
    const finished: unknown[] = [];
    const clients: pg.Client[] = [];
    for (const _ of names) clients.push(await connected(peer));
    const ask = async (name: string, index: number): Promise<unknown> => {
      const result = await clients[index]?.query(`SELECT '${name}' AS name /* ${MOODS.holdsBack} */`);
      finished.push(result?.rows[0]);
      await clients[index]?.end();
      return result?.rows;
    };
    return { answers: await Promise.all(names.map(ask)), finished };
  },
  shows: {
    answers: names.map((name) => [{ name }]),
    finished: [{ name: 'third' }, { name: 'second' }, { name: 'first' }],
  },
  crossings: [...names.map(() => crossing('connect')), ...names.map(() => query), ...names.map(() => crossing('end'))],
};

const nestedTools: FidelityAct = {
  run: withClient((client) => {
    const count = async (symbol: string): Promise<number> => {
      const { rows } = await client.query('SELECT count(*)::int + 1 AS n FROM orders WHERE symbol = $1', [symbol]);
      return (rows as { n: number }[])[0]?.n ?? 0;
    };
    const inner = tool('inner', count);
    const outer = tool('outer', async (symbol: string) => (await inner(symbol)) + (await count(symbol)));
    return outer('ACME');
  }),
  shows: 2,
  crossings: around('tool:outer returned 0', 'tool:inner returned 0', query, query),
};

const doubleIteration: FidelityAct = {
  run: withClient(async (client) => {
    const { rows } = await client.query('SELECT generate_series(1, 3) AS n');
    return { first: [...rows], again: [...rows] };
  }),
  shows: { first: [{ n: 1 }, { n: 2 }, { n: 3 }], again: { length: 3 } },
  crossings: around(query),
};

async function inTransaction(client: pg.ClientBase): Promise<unknown> {
  await client.query('BEGIN');
  const failed = await thrownBy(() => client.query('SELECT 1 / 0'));
  const aborted = await thrownBy(() => client.query('SELECT 1'));
  await client.query('ROLLBACK');
  return { failed, aborted };
}

const helpers: FidelityAct = {
  run: async (peer) => {
    const pool = new driver.Pool(optionsFor(peer));
    const client = await pool.connect();
    const transaction = await inTransaction(client);
    const named = await client.query({ name: 'sum', text: 'SELECT $1::int + 1 AS sum', values: [1] });
    const again = await client.query({ name: 'sum', text: 'SELECT $1::int + 1 AS sum', values: [2] });
    client.release();
    const twice = await thrownBy(() => client.release());
    const arrays = await pool.query({ text: "SELECT 1, 'a'", rowMode: 'array' });
    const called = await new Promise((resolve) => {
      pool.query('SELECT 9::bigint AS nine', (error: unknown, result) => {
        resolve([error, resultFacts(result), printed(result)]);
      });
    });
    await pool.end();
    const looks = [named, arrays].map(printed);
    return { transaction, twice, named: named.rows, again: again.rows, arrays: resultFacts(arrays), called, looks };
  },
  shows: {
    transaction: { failed: { fields: { code: '22012' } }, aborted: { fields: { code: '25P02' } } },
    twice: { message: /already been released/ },
    named: [{ sum: 2 }],
    again: [{ sum: 3 }],
    arrays: { rows: [[1, 'a']] },
    called: { 1: { rows: [{ nine: '9' }] } },
    looks: [/^Result /, /parseRow: \[Function: _parseRowAsArray\]/],
  },
  crossings: [
    crossing('connect'),
    query,
    crossing('query', 'threw'),
    crossing('query', 'threw'),
    ...Array.from({ length: 5 }, () => query),
    crossing('end'),
  ],
};

const rowByRow = pgRowCases({ withClient, around });

/** `pg` behind `pgClient`. */
export const pgFidelity: FidelityLibrary = {
  name: '`pg`, `pg-cursor`, `pg-query-stream` (`pgClient`)',
  start: startPgPeer,
  patch: () => {
    const errors = [pg.DatabaseError];
    driver = { Client: pgClient(pg.Client, { errors }), Pool: pgClient(pg.Pool, { errors }) };
    return () => {
      driver = pg;
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
