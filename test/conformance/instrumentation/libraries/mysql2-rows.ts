import { addAbortSignal, Readable } from 'node:stream';
import type callbacks from 'mysql2';
import type { Query } from 'mysql2';
import type promises from 'mysql2/promise';
import { thrownBy } from '../error-facts.ts';
import type { FidelityAct, FidelityCase, Peer } from '../fidelity-library.ts';

/** What an act connects with: behind the gate while the application is instrumented. */
export interface Mysql2Rows {
  connect(peer: Peer): callbacks.Connection;
  createPool(peer: Peer): callbacks.Pool;
  connectWithPromises(peer: Peer): Promise<promises.Connection>;
}

const line = (name: string, outcome = 'returned'): string => `database:mysql.${name} ${outcome} 0`;
const numbers = (count: number): string =>
  `WITH RECURSIVE r (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM r WHERE n < ${count}) SELECT n, n * 2 AS twice FROM r`;
const rows = (count: number): unknown[] =>
  Array.from({ length: count }, (_, index) => ({ n: index + 1, twice: index * 2 + 2 }));
/** The third row is no JSON. */
const failing =
  "WITH RECURSIVE r (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT n, json_extract(CASE n WHEN 3 THEN 'x' ELSE '{}' END, '$') AS j FROM r";

const plain = (row: unknown): unknown => ({ ...(row as object) });

async function all(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const row of stream) seen.push(plain(row));
  return seen;
}

/** Everything that a query without a callback tells its listeners. */
async function eventsOf(query: Query): Promise<unknown[]> {
  const seen: unknown[] = [];
  query
    .on('fields', (fields: callbacks.FieldPacket[]) => seen.push(fields.map(({ name }) => name)))
    .on('result', (row: unknown, index: unknown) => seen.push([plain(row), index]))
    .on('error', ({ message }: Error) => seen.push(message));
  await new Promise((resolve) => query.once('end', resolve));
  return seen;
}

/** Runs an act over a connection of its own. */
function withConnection(
  { connect }: Mysql2Rows,
  act: (connection: callbacks.Connection) => Promise<unknown>,
): FidelityAct['run'] {
  return async (peer) => {
    const connection = connect(peer);
    const result = await act(connection);
    await new Promise((resolve) => connection.end(resolve));
    return result;
  };
}

function around(...crossings: readonly string[]): string[] {
  return [line('connect'), ...crossings, line('end')];
}

async function streamed(driver: Mysql2Rows, peer: Peer): Promise<unknown> {
  const pool = driver.createPool(peer);
  const ofPool = await all(pool.query(numbers(2)).stream());
  await new Promise((resolve) => pool.end(resolve));
  const promised = await driver.connectWithPromises(peer);
  // What a connection with promises stands on is where its own documentation has rows streamed.
  const { connection } = promised as unknown as { connection: callbacks.Connection };
  const ofPromised = await all(connection.query(numbers(2)).stream());
  await promised.end();
  return { ofPool, ofPromised };
}

async function aborted(connection: callbacks.Connection): Promise<unknown> {
  const seen: unknown[] = [];
  const stream = connection.query(numbers(200)).stream({ highWaterMark: 1 });
  for await (const row of stream) {
    seen.push(plain(row));
    if (seen.length === 3) break;
  }
  const controller = new AbortController();
  const stopped = await thrownBy(async () => {
    const other = connection.query(numbers(200)).stream({ highWaterMark: 1 });
    for await (const _ of addAbortSignal(controller.signal, other)) controller.abort();
  });
  return { seen, stopped, isDestroyed: stream.destroyed };
}

async function failedAfterRows(connection: callbacks.Connection): Promise<unknown> {
  const seen: unknown[] = [];
  const error = await thrownBy(async () => {
    for await (const row of connection.query(failing).stream()) seen.push(plain(row));
  });
  return {
    seen,
    error,
    told: await eventsOf(connection.query(failing)),
    atOnce: await eventsOf(connection.query('SELECT * FROM nowhere')),
  };
}

async function twice(connection: callbacks.Connection): Promise<unknown> {
  const stream = connection.query(numbers(3)).stream();
  return { first: await all(stream), again: await all(stream).catch(({ message }: Error) => message) };
}

async function split(connection: callbacks.Connection): Promise<unknown> {
  const halves = Readable.toWeb(connection.query(numbers(3)).stream()).tee();
  return Promise.all(halves.map((half) => all(half)));
}

/** What reads rows one by one: a query without a callback, and `stream()` of it. */
export function mysql2RowCases(driver: Mysql2Rows) {
  const ended = line('query', 'ended');
  return {
    stream: {
      run: async (peer) => {
        const byHand = withConnection(driver, async (connection) => ({
          seen: await all(connection.query(numbers(5)).stream()),
          events: await eventsOf(connection.query(numbers(1))),
        }));
        return [await byHand(peer), await streamed(driver, peer)];
      },
      shows: [
        {
          seen: rows(5),
          events: [
            ['n', 'twice'],
            [rows(1)[0], 0],
          ],
        },
        { ofPool: rows(2), ofPromised: rows(2) },
      ],
      crossings: [...around(ended, ended), ended, line('end'), ...around(ended)],
    },
    abort: {
      run: withConnection(driver, aborted),
      shows: { seen: rows(3), stopped: { name: 'AbortError' }, isDestroyed: true },
      // Nothing calls a query off: its rows come, and nobody reads them.
      crossings: around(ended, ended),
    },
    'mid-stream error': {
      run: withConnection(driver, failedAfterRows),
      shows: {
        // All of it came in one piece, and an error takes with it what was not read.
        seen: [],
        error: { message: 'malformed JSON', fields: { errno: 1064 } },
        told: [['n', 'j'], [{ n: 1 }, 0], [{ n: 2 }, 0], 'malformed JSON'],
        atOnce: ['no such table: nowhere'],
      },
      crossings: around(line('query', 'failed'), line('query', 'failed'), line('query', 'failed')),
    },
    'double iteration': {
      run: withConnection(driver, twice),
      shows: { first: rows(3) },
      crossings: around(ended),
    },
    tee: { run: withConnection(driver, split), shows: [rows(3), rows(3)], crossings: around(ended) },
  } as const satisfies { readonly [Case in FidelityCase]?: FidelityAct };
}
