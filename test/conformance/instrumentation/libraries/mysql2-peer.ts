import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import mysql from 'mysql2';
import type { Peer } from '../fidelity-library.ts';
import { MoodyProxy } from '../peers/moody-proxy.ts';

/** The command COM_QUIT. */
const QUIT = Buffer.from([1, 0, 0, 0, 1]);

const TYPE_INTEGER = 8;
const TYPE_TEXT = 253;
const UTF8_GENERAL = 33;
/** Says that the connection commits each statement. */
const STATUS_AUTOCOMMIT = 2;

type Row = Record<string, SQLOutputValue>;

// The side of the driver that serves, which its types leave out.
interface ServingConnection {
  on(event: 'query' | 'stmt_prepare', answer: (sql: string) => void): void;
  on(event: 'error', answer: () => void): void;
  sequenceId: number;
  serverHandshake(options: object): void;
  writeColumns(columns: readonly object[]): void;
  writeTextRow(values: readonly unknown[]): void;
  writeEof(): void;
  writeOk(packet?: object): void;
  writeError(error: { code: number; message: string }): void;
}
interface MysqlServer {
  on(event: 'connection', serve: (connection: ServingConnection) => void): void;
  listen(port: number, host: string): void;
  readonly _server: Server;
}

function columnOf(name: string, value: SQLOutputValue | undefined): object {
  const names = { catalog: 'def', schema: 'shop', table: '', orgTable: '', name, orgName: name };
  const columnType = typeof value === 'number' ? TYPE_INTEGER : TYPE_TEXT;
  return { ...names, characterSet: UTF8_GENERAL, columnLength: 255, columnType, flags: 0, decimals: 0 };
}

/** Row by row, as the statement gives them: it may fail after some. */
function writeRows(connection: ServingConnection, columns: readonly string[], rows: Iterator<Row>): void {
  let next = rows.next();
  const first = next.done === true ? undefined : next.value;
  connection.writeColumns(columns.map((name) => columnOf(name, first?.[name])));
  for (; next.done !== true; next = rows.next()) {
    const row = next.value;
    connection.writeTextRow(columns.map((name) => row[name]));
  }
  connection.writeEof();
}

function answerQuery(connection: ServingConnection, database: DatabaseSync, sql: string): void {
  connection.sequenceId = 1;
  try {
    const statement = database.prepare(sql.replace(/^START TRANSACTION/, 'BEGIN'));
    const columns = statement.columns().map(({ name }) => name);
    if (columns.length === 0) {
      const { changes, lastInsertRowid } = statement.run();
      connection.writeOk({ affectedRows: Number(changes), insertId: Number(lastInsertRowid) });
    } else {
      writeRows(connection, columns, statement.iterate());
    }
  } catch (error) {
    connection.writeError({ code: 1064, message: (error as Error).message });
  }
  connection.sequenceId = 0;
}

function serve(connection: ServingConnection, database: DatabaseSync): void {
  connection.on('error', () => undefined);
  connection.serverHandshake({
    protocolVersion: 10,
    serverVersion: '8.0.0',
    connectionId: 1,
    statusFlags: STATUS_AUTOCOMMIT,
    characterSet: 8,
    capabilityFlags: 0xffffff,
    authCallback: (_: unknown, done: (error: null) => void) => {
      connection.sequenceId = 2;
      done(null);
      connection.sequenceId = 0;
    },
  });
  connection.on('query', (sql) => answerQuery(connection, database, sql));
}

/** The serving side of mysql2, so the true wire protocol, over SQLite: MySQL itself is in no package. */
export async function startMysqlPeer(): Promise<Peer> {
  const database = new DatabaseSync(':memory:');
  const server = (mysql as unknown as { createServer(): MysqlServer }).createServer();
  server.on('connection', (connection) => serve(connection, database));
  server.listen(0, '127.0.0.1');
  await once(server._server, 'listening');
  const stop = async (): Promise<void> => {
    await new Promise((resolve) => server._server.close(resolve));
    database.close();
  };
  const { port } = server._server.address() as AddressInfo;
  return MoodyProxy.start({ at: { host: '127.0.0.1', port }, stop, isGoodbye: (sent) => sent.equals(QUIT) });
}
