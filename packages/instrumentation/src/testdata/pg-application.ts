import { type AddressInfo, connect, createServer } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import pg from 'pg';
import { agent, pgClient } from '../index.ts';
import { crossingOf } from './recorded-crossing.ts';
import { RecordingHost } from './recording-host.ts';
import { recordAndReplay } from './replay-of.ts';

/** What the child process tells about one way to use pg. */
export interface PgReport {
  readonly recorded: unknown;
  readonly isReplayEqual: boolean;
  readonly refusals: readonly string[];
  readonly lossy: readonly string[];
  readonly holdsPassword: boolean;
  /** Name, effect and input of each crossing. */
  readonly crossings: readonly (readonly [string, string, string])[];
}

// Run as a process of its own, where pg resolves as it does for its users. Postgres itself, compiled to WebAssembly, behind
// its own wire protocol.
const postgres = await PGlite.create();

/** One that takes one client at a time. */
async function startServer(): Promise<{ port: number; stop(): Promise<void> }> {
  const server = new PGLiteSocketServer({ db: postgres, host: '127.0.0.1', port: 0 });
  const listening = new Promise<number>((resolve) =>
    server.addEventListener('listening', (event) => resolve((event as CustomEvent<{ port: number }>).detail.port)),
  );
  await server.start();
  return { port: await listening, stop: () => server.stop() };
}

let port = 1;

function options(): pg.ClientConfig {
  return { host: '127.0.0.1', port, user: 'postgres', database: 'postgres', password: 'planted-secret' };
}

async function work(client: pg.ClientBase): Promise<unknown[]> {
  await client.query('CREATE TABLE IF NOT EXISTS orders (id int, symbol text, at timestamptz, facts jsonb)');
  await client.query('DELETE FROM orders');
  const insert = 'INSERT INTO orders VALUES ($1, $2, $3, $4)';
  const inserted = await client.query(insert, [1, 'ACME', new Date(0), { shares: 1000 }]);
  const selected = await client.query({ text: 'SELECT * FROM orders WHERE id = $1', values: [1] });
  const failed: unknown = await client.query('SELECT * FROM nowhere').catch((error: unknown) => error);
  const called = await new Promise((resolve) => {
    client.query('SELECT count(*)::int AS n FROM orders', (error, result) => resolve([error, result.rows]));
  });
  return [
    inserted.rowCount,
    selected.rows,
    selected.fields.map(({ name }) => name),
    [failed instanceof pg.DatabaseError, (failed as pg.DatabaseError).code, (failed as Error).message],
    called,
    (client as pg.Client).escapeLiteral("it's"),
  ];
}

async function withClient(): Promise<unknown> {
  const client = new (pgClient(pg.Client))(options());
  client.on('error', () => {});
  await client.connect();
  const seen = await work(client);
  await client.end();
  return seen;
}

async function listening(): Promise<unknown> {
  const client = new (pgClient(pg.Client))(options());
  const heard = new Promise<pg.Notification>((resolve) => client.once('notification', resolve));
  await client.connect();
  const { command } = await client.query('-- for a while\nSELECT 1; Listen orders').then((results) => {
    return (results as unknown as pg.QueryResult[])[1] as pg.QueryResult;
  });
  await client.query("SELECT 'LISTEN orders' AS text");
  await client.query("NOTIFY orders, 'sold'");
  const { channel, payload, processId } = await heard;
  await client.end();
  return [command, channel, payload, typeof processId];
}

/** In a replay a pool gives something that stands in for a connection, and tells of no events. */
async function listeningThroughPool(): Promise<unknown> {
  const pool = pgClient(new pg.Pool({ ...options(), max: 1 }));
  const client = await pool.connect();
  const { command } = await client.query('LISTEN orders');
  client.release();
  await pool.end();
  return command;
}

/** How a pool stands while it lends and once it has ended. */
async function poolState(): Promise<unknown> {
  const pool = pgClient(new pg.Pool({ ...options(), max: 1 }));
  const state = (): unknown => [pool.totalCount, pool.idleCount, pool.waitingCount, pool.ending, pool.ended];
  const client = await pool.connect();
  const lending = state();
  client.release();
  const ending = pool.end();
  return [lending, state(), await ending.then(state)];
}

async function withPool(): Promise<unknown> {
  const pool = pgClient(new pg.Pool({ ...options(), max: 1 }));
  const client = await pool.connect();
  const seen = await work(client);
  client.release();
  const direct = await pool.query('SELECT 7 AS seven');
  const called = await new Promise((resolve) => {
    pool.connect((error, connection, release) => {
      connection?.query('SELECT 8 AS eight', (_, result) => {
        release();
        resolve([error ?? 'no error', result.rows]);
      });
    });
  });
  await pool.end();
  return [seen, direct.rows, called];
}

async function report(work: () => Promise<unknown>, portOfPostgres: number): Promise<PgReport> {
  port = portOfPostgres;
  const host = new RecordingHost();
  // Nothing listens on the port of a replay.
  const between = (): void => {
    port = 1;
  };
  const { recorded, replayed, player } = await recordAndReplay(host, agent('run', work), { between });
  const crossings = (await host.recorded()).map(crossingOf).filter(({ kind }) => kind === 'database');
  await host.stop();
  return {
    recorded,
    isReplayEqual: isDeepStrictEqual(replayed, recorded),
    refusals: player.refusals,
    lossy: crossings.flatMap(({ lossy }) => lossy),
    holdsPassword: crossings.some(({ input, outcome }) => JSON.stringify([input, outcome]).includes('planted-secret')),
    crossings: crossings.map(({ name, effect, input }) => [name, effect, input?.data ?? '']),
  };
}

/** Connects when all connections that were asked for before have come. */
async function connectAfterOthers(port: number): Promise<void> {
  const last = connect(port, '127.0.0.1').on('error', () => {});
  await new Promise((resolve) => last.once('close', resolve));
}

/** What a live query of a served connection comes to, and how often the server of that replay was connected to. */
async function liveQuery(portOfPostgres: number): Promise<unknown> {
  port = portOfPostgres;
  let connections = 0;
  const counting = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  const host = new RecordingHost();
  const run = agent('run', async () => {
    const client = await pgClient(new pg.Pool({ ...options(), max: 1 })).connect();
    const { rows } = await client.query('SELECT 1 AS one');
    await client.end();
    return rows;
  });
  const between = async (): Promise<void> => {
    await new Promise<void>((resolve) => counting.listen(0, '127.0.0.1', resolve));
    port = (counting.address() as AddressInfo).port;
  };
  const { replayed } = await recordAndReplay(host, run, { live: ['postgresql.query'], between });
  await host.stop();
  await connectAfterOthers(port);
  await new Promise((resolve) => counting.close(resolve));
  return { replayed: 'error' in replayed ? Object.entries(replayed.error as object) : replayed, connections };
}

const server = await startServer();
// Of its own, for a pool does not wait until its connections are closed.
const serverOfPool = await startServer();
const serverOfPoolState = await startServer();
const serverOfLiveQuery = await startServer();
const reports = {
  client: await report(withClient, server.port),
  listening: await report(listening, server.port),
  listeningThroughPool: await report(listeningThroughPool, server.port),
  liveQuery: await liveQuery(serverOfLiveQuery.port),
  pool: await report(withPool, serverOfPool.port),
  poolState: await report(poolState, serverOfPoolState.port),
};
await server.stop();
await serverOfPool.stop();
await serverOfPoolState.stop();
await serverOfLiveQuery.stop();
await postgres.close();
process.stdout.write(JSON.stringify(reports));
