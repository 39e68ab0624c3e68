import type { AddressInfo } from 'node:net';
import mysql from 'mysql2';
import promised from 'mysql2/promise';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, mysql2Client } from '../../index.ts';
import { crossingOf } from '../../testdata/recorded-crossing.ts';
import { RecordingHost } from '../../testdata/recording-host.ts';
import { recordAndReplay } from '../../testdata/replay-of.ts';

// mysql2's own server side: the real wire protocol, with answers of ours.
interface ServerConnection {
  on(event: 'query', answer: (sql: string) => void): void;
  on(event: 'error' | 'stmt_prepare' | 'stmt_execute', answer: () => void): void;
  write(packet: Uint8Array): void;
  sequenceId: number;
  serverHandshake(options: object): void;
  writeTextResult(rows: object[], columns: object[]): void;
  writeOk(packet: object): void;
  writeError(error: { code: number; message: string }): void;
}
interface Server {
  on(event: 'connection', serve: (connection: ServerConnection) => void): void;
  listen(port: number, host: string, done: () => void): void;
  close(done: () => void): void;
  readonly _server: { address(): AddressInfo };
}

let host: RecordingHost;
let server: Server;
let port: number;
let queries: string[];

function serve(connection: ServerConnection): void {
  connection.on('error', () => {});
  connection.serverHandshake({
    protocolVersion: 10,
    serverVersion: 'test',
    connectionId: 1,
    statusFlags: 2,
    characterSet: 8,
    capabilityFlags: 0xffffff,
    authCallback: (_: unknown, done: (error: null) => void) => {
      connection.sequenceId = 2;
      done(null);
      connection.sequenceId = 0;
    },
  });
  // A statement with number 1, no parameters and no columns.
  connection.on('stmt_prepare', () => {
    connection.write(Uint8Array.of(12, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    connection.sequenceId = 0;
  });
  connection.on('stmt_execute', () => {
    queries.push('EXECUTE');
    connection.sequenceId = 1;
    connection.writeOk({ affectedRows: 4 });
    connection.sequenceId = 0;
  });
  connection.on('query', (sql) => {
    queries.push(sql);
    connection.sequenceId = 1;
    if (sql.startsWith('SELECT')) {
      const column = {
        catalog: 'def',
        schema: 's',
        table: 't',
        orgTable: 't',
        name: 'n',
        orgName: 'n',
        characterSet: 33,
        columnLength: 9,
        columnType: 253,
        flags: 0,
        decimals: 0,
      };
      connection.writeTextResult([{ n: sql }], [column]);
    } else if (sql.startsWith('BAD')) connection.writeError({ code: 1064, message: 'bad statement' });
    else connection.writeOk({ affectedRows: 3, insertId: 7 });
    connection.sequenceId = 0;
  });
}

beforeEach(async () => {
  host = new RecordingHost();
  queries = [];
  server = (mysql as unknown as { createServer(): Server }).createServer();
  server.on('connection', serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server._server.address());
});
afterEach(async () => {
  await host.stop();
  await new Promise<void>((resolve) => server.close(resolve));
});

const options = (): mysql.PoolOptions => ({
  host: '127.0.0.1',
  port,
  user: 'u',
  password: 'planted-secret',
  connectionLimit: 1,
});

function facts(error: unknown): unknown {
  const { errno, message } = error as mysql.QueryError;
  return [errno, message];
}

async function withPromises(): Promise<unknown[]> {
  const pool = mysql2Client(promised).createPool(options());
  const [rows, fields] = await pool.query('SELECT 1');
  const connection = await pool.getConnection();
  await connection.beginTransaction();
  const [header] = await connection.query('INSERT INTO t VALUES (?)', [1]);
  await connection.commit();
  const failed = await connection.query('BAD').catch(facts);
  const statement = await connection.prepare('INSERT INTO t VALUES (1)');
  const prepared = await statement.execute([]);
  const thread = connection.threadId;
  const written = [connection.escape("it's"), connection.escapeId('a.b'), pool.format('? = ??', [1, 'n'])];
  connection.release();
  await pool.end();
  const counts = [(header as mysql.ResultSetHeader).insertId, (prepared[0] as mysql.ResultSetHeader).affectedRows];
  return [rows, fields.map(({ name }) => name), counts, failed, thread, written];
}

async function withCallbacks(): Promise<unknown[]> {
  const connection = mysql2Client(mysql).createConnection(options());
  const call = (sql: string): Promise<unknown> =>
    new Promise((resolve) => {
      connection.query(sql, (error, rows) => resolve(error === null ? rows : facts(error)));
    });
  const seen = [await call('SELECT 2'), await call('BAD')];
  const [rows] = await connection.promise().query('SELECT 3');
  await new Promise((resolve) => connection.end(resolve));
  return [...seen, rows];
}

/** What Sequelize, Knex and TypeORM look at before they use a connection. */
function isUsable(connection: object): boolean {
  const { _closing, _fatalError, stream, disposed } = connection as Record<string, unknown>;
  return !_closing && !_fatalError && !disposed && (stream as { destroyed: boolean }).destroyed === false;
}

async function belowLibrary(): Promise<unknown[]> {
  const module = mysql2Client(mysql);
  const single = module.createConnection(options());
  const connected = new Promise((resolve, reject) => single.once('connect', resolve).once('error', reject));
  const handshake = await new Promise((resolve) => single.connect((_, given?: object) => resolve(typeof given)));
  await connected;
  const seen: unknown[] = [isUsable(single), single instanceof mysql.Connection, handshake];
  seen.push(await new Promise((resolve) => single.query('SELECT 4', (_, rows) => resolve(rows)).setMaxListeners(100)));
  await new Promise((resolve) => single.end(resolve));
  const pool = module.createPool(options());
  const connection = await new Promise<mysql.PoolConnection>((resolve, reject) => {
    pool.getConnection((error, given) => (error ? reject(error) : resolve(given)));
  });
  const ignore = (): void => undefined;
  const heard = () => connection.listenerCount('error') - connection.listeners('error').indexOf(ignore);
  const before = connection.listenerCount('error');
  seen.push(connection.on('error', ignore) === connection, isUsable(connection), heard());
  seen.push(connection.off('error', ignore).listenerCount('error') === before);
  connection.release();
  await new Promise((resolve) => pool.end(resolve));
  return seen;
}

/** A cluster of pools, by either module, and its pools by a pattern. */
async function withCluster(): Promise<unknown[]> {
  const cluster = mysql2Client(promised).createPoolCluster();
  cluster.add('main', options());
  const connection = await cluster.getConnection('main');
  const seen: unknown[] = [(await connection.query('SELECT 5'))[0], connection.threadId];
  connection.release();
  seen.push((await cluster.of('ma*').query('SELECT 6'))[0]);
  seen.push(await cluster.getConnection('other').catch(({ code }: mysql.QueryError) => code));
  await cluster.end();
  const called = mysql2Client(mysql).createPoolCluster();
  called.add('main', options());
  seen.push(await new Promise((resolve) => called.of('*').query('SELECT 7', (_, rows) => resolve(rows))));
  await new Promise((resolve) => called.end(resolve));
  return seen;
}

const ofCluster = [[{ n: 'SELECT 5' }], 1, [{ n: 'SELECT 6' }], 'POOL_NOEXIST', [{ n: 'SELECT 7' }]];
const written = ["'it\\'s'", '`a`.`b`', '1 = `n`'];

describe('mysql2', () => {
  it.each([
    ['promises', withPromises, [[{ n: 'SELECT 1' }], ['n'], [7, 4], [1064, 'bad statement'], 1, written]],
    ['callbacks', withCallbacks, [[{ n: 'SELECT 2' }], [1064, 'bad statement'], [{ n: 'SELECT 3' }]]],
    ['a cluster', withCluster, ofCluster],
    ['below a library', belowLibrary, [true, true, 'object', [{ n: 'SELECT 4' }], true, true, 1, true]],
  ])('is recorded and replayed without a query to the server: %s', async (_, work, value) => {
    let asked = 0;
    const { recorded, replayed, player } = await recordAndReplay(host, agent('run', work), {
      between: () => (asked = queries.length),
    });
    expect(recorded).toEqual({ value });
    expect(replayed).toEqual(recorded);
    expect([queries.length, player.refusals]).toEqual([asked, []]);
    const crossings = (await host.recorded()).map(crossingOf);
    expect(crossings.flatMap(({ lossy }) => lossy)).toEqual([]);
    const payloads = crossings.map(({ input, outcome }) => [input, outcome]);
    expect(JSON.stringify(payloads)).not.toContain('planted-secret');
  });
});
