import { addAbortSignal, Readable } from 'node:stream';
import { inspect } from 'node:util';
import type pg from 'pg';
import Cursor from 'pg-cursor';
import QueryStream from 'pg-query-stream';
import { thrownBy } from '../error-facts.ts';
import type { FidelityAct, FidelityCase } from '../fidelity-library.ts';

/** How an act is run over a connection of its own, and the lines of the crossings around those of its act. */
export interface PgRowsSetting {
  withClient(act: (client: pg.Client) => Promise<unknown>): FidelityAct['run'];
  around(...crossings: readonly string[]): string[];
}

const line = (outcome: string): string => `database:postgresql.query ${outcome} 0`;
const numbers = 'SELECT n, n * 2 AS twice FROM generate_series(1, $1::int) AS n';
const rows = (count: number): unknown[] => Array.from({ length: count }, (_, index) => row(index + 1));
const row = (n: number): unknown => ({ n, twice: n * 2 });

async function all(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const chunk of stream) seen.push(chunk);
  return seen;
}

/** Reads by hand until there is no more, once by promises and once by callbacks. */
async function readAll(client: pg.Client): Promise<unknown> {
  const cursor = client.query(new Cursor<{ n: number }>(numbers, [5]));
  const events: string[] = [];
  cursor.on('row', () => events.push('row')).on('end', () => events.push('end'));
  const promised = [await cursor.read(2), await cursor.read(2)];
  const called = await new Promise<unknown>((resolve, reject) => {
    cursor.read(2, (error, last, result) => {
      const { command, rowCount, fields } = result;
      const columns = fields.map(({ name, dataTypeID }) => [name, dataTypeID]);
      if (error) reject(error);
      else resolve({ last, command, rowCount, fields: columns, printed: inspect(result, { depth: 4 }) });
    });
  });
  return { promised, called, after: await cursor.read(2), closed: await cursor.close(), events };
}

async function streamed(client: pg.Client): Promise<unknown> {
  const stream = client.query(new QueryStream(numbers, [5], { batchSize: 2 }));
  const seen = await all(stream);
  const arrays = await all(client.query(new QueryStream(numbers, [1], { rowMode: 'array' })));
  return { seen, arrays, isTheirs: stream instanceof QueryStream, byHand: await readAll(client) };
}

async function aborted(client: pg.Client): Promise<unknown> {
  const seen: unknown[] = [];
  const left = client.query(new QueryStream(numbers, [1000], { batchSize: 2 }));
  for await (const chunk of left) {
    seen.push(chunk);
    if (seen.length === 3) break;
  }
  const cursor = client.query(new Cursor(numbers, [1000]));
  const read = await cursor.read(1);
  await cursor.close();
  const controller = new AbortController();
  const stopped = await thrownBy(async () => {
    const stream = client.query(new QueryStream(numbers, [1000], { batchSize: 2 }));
    for await (const _ of addAbortSignal(controller.signal, stream)) controller.abort();
  });
  return { seen, read, stopped, isDestroyed: left.destroyed };
}

async function failedAfterRows(client: pg.Client): Promise<unknown> {
  const seen: unknown[] = [];
  const stream = client.query(
    new QueryStream('SELECT 10 / (4 - n) AS q FROM generate_series(1, 9) AS n', [], { batchSize: 1 }),
  );
  const error = await thrownBy(async () => {
    for await (const chunk of stream) seen.push(chunk);
  });
  const cursor = client.query(new Cursor('SELECT * FROM nowhere'));
  const atOnce = await thrownBy(() => cursor.read(1));
  const again = await thrownBy(() => cursor.read(1));
  return { seen, error, atOnce, again, after: (await client.query('SELECT 1 AS one')).rows };
}

async function twice(client: pg.Client): Promise<unknown> {
  const stream = client.query(new QueryStream(numbers, [3]));
  return { first: await all(stream), again: await all(stream).catch(({ message }: Error) => message) };
}

async function split(client: pg.Client): Promise<unknown> {
  const halves = Readable.toWeb(client.query(new QueryStream(numbers, [3]))).tee();
  return Promise.all(halves.map((half) => all(half)));
}

/** What reads rows one by one: `pg-query-stream` and `pg-cursor`. */
export function pgRowCases({ withClient, around }: PgRowsSetting) {
  const query = line('returned');
  return {
    stream: {
      run: withClient(streamed),
      shows: {
        seen: rows(5),
        arrays: [[1, 2]],
        isTheirs: true,
        byHand: {
          promised: [rows(2), [row(3), row(4)]],
          called: {
            last: [row(5)],
            command: 'SELECT',
            fields: [
              ['n', 23],
              ['twice', 23],
            ],
          },
          after: [],
          events: ['row', 'row', 'row', 'row', 'row', 'end'],
        },
      },
      crossings: around(line('ended'), line('ended'), line('ended')),
    },
    abort: {
      run: withClient(aborted),
      shows: { seen: rows(3), read: rows(1), stopped: { name: 'AbortError' }, isDestroyed: true },
      crossings: around(line('aborted'), line('aborted'), line('aborted')),
    },
    'mid-stream error': {
      run: withClient(failedAfterRows),
      shows: {
        seen: [{ q: 3 }, { q: 5 }, { q: 10 }],
        error: { fields: { code: '22012' } },
        atOnce: { fields: { code: '42P01' } },
        again: { fields: { code: '42P01' } },
        after: [{ one: 1 }],
      },
      crossings: around(line('failed'), line('failed'), query),
    },
    'double iteration': {
      run: withClient(twice),
      shows: { first: rows(3) },
      crossings: around(line('ended')),
    },
    tee: {
      run: withClient(split),
      shows: [rows(3), rows(3)],
      crossings: around(line('ended')),
    },
  } as const satisfies { readonly [Case in FidelityCase]?: FidelityAct };
}
