import type { ClientMethod, ReturnedObject } from '../object/client-definition.ts';
import { type ClientOptions, eventMethods, methodHolder } from '../object/client-options.ts';
import { databaseClient } from '../object/database-client.ts';
import type { DriverClasses } from '../object/driver-classes.ts';
import { sqlEffect, sqlView } from '../sql/sql-call.ts';
import { unconnectedMysqlConnection } from './mysql2-likeness.ts';
import { plainMysqlResult } from './mysql2-result.ts';
import { mysql2RowFeed } from './mysql2-row-feed.ts';

const query: ClientMethod = {
  name: 'mysql.query',
  effect: sqlEffect,
  callback: true,
  keep: plainMysqlResult,
  feed: mysql2RowFeed,
};
const execute: ClientMethod = { ...query, name: 'mysql.execute' };
const connected = (operation: string, effect: 'none' | 'read' | 'write'): ClientMethod => ({
  name: `mysql.${operation}`,
  effect,
  callback: true,
  keep: plainMysqlResult,
});

/** They write a value as the connection is set up to, which in a replay is not there to be asked. */
const writing: Readonly<Record<string, ClientMethod>> = {
  escape: { name: 'mysql.escape', effect: 'none' },
  escapeId: { name: 'mysql.escapeId', effect: 'none' },
  format: { name: 'mysql.format', effect: 'none' },
};

const statement: ReturnedObject = { methods: { execute, close: { as: 'aside' }, ...eventMethods } };

const ofConnection: Readonly<Record<string, ClientMethod>> = {
  query,
  execute,
  prepare: { ...connected('prepare', 'read'), returns: statement },
  connect: connected('connect', 'read'),
  ping: connected('ping', 'read'),
  beginTransaction: connected('beginTransaction', 'write'),
  commit: connected('commit', 'write'),
  rollback: connected('rollback', 'write'),
  changeUser: connected('changeUser', 'write'),
  reset: connected('reset', 'write'),
  end: { ...connected('end', 'none'), closes: true },
  release: { as: 'aside' },
  destroy: { as: 'aside' },
  unprepare: { as: 'aside' },
  ...writing,
  ...eventMethods,
};

/** By it the server is asked about a connection, or to stop what it does. */
const getters: Readonly<Record<string, ClientMethod>> = { threadId: { name: 'mysql.threadId', effect: 'read' } };

/** With callbacks, or with promises on top of one with callbacks. */
const connection: ReturnedObject = {
  methods: { ...ofConnection, promise: { as: 'step', returns: { methods: ofConnection, getters } } },
  members: { connection: { methods: ofConnection, getters } },
  getters,
  likeness: unconnectedMysqlConnection,
};

const getConnection: ClientMethod = { ...connected('getConnection', 'read'), returns: connection };

const ofPool: Readonly<Record<string, ClientMethod>> = {
  query,
  execute,
  end: { ...connected('end', 'none'), closes: true },
  getConnection,
  releaseConnection: { as: 'aside' },
  ...writing,
  ...eventMethods,
};

const pool: ReturnedObject = {
  methods: { ...ofPool, promise: { as: 'step', returns: { methods: ofPool } } },
  members: { pool: { methods: ofPool } },
};

/** Those of the pools whose name matches a pattern, one of which is asked. */
const namespace: ReturnedObject = { methods: { query, execute, getConnection } };

/** Its pools are opened with its first question, with the addresses that `add` was given. */
const cluster: ReturnedObject = {
  methods: {
    ...namespace.methods,
    of: { as: 'step', returns: namespace },
    add: { as: 'aside' },
    remove: { as: 'aside' },
    end: { ...connected('end', 'none'), closes: true },
    ...eventMethods,
  },
};

/** Whatever was wrapped has one of them at most. */
const members = { ...connection.members, ...pool.members };

/** Where the classes of mysql2 are found. */
export const mysql2Classes: DriverClasses = {
  packageName: 'mysql2',
  exported: ['createConnection', 'Connection', 'Pool', 'PromiseConnection', 'PromisePool', 'PromisePoolConnection'],
  values: { ResultSetHeader: {} },
};

const secretive = { hidesArguments: true } as const;
const ofModule: Readonly<Record<string, ClientMethod>> = {
  createConnection: { name: 'mysql.connect', effect: 'read', returns: connection, ...secretive },
  createPool: { as: 'aside', returns: pool, ...secretive },
  createPoolCluster: { as: 'aside', returns: cluster, ...secretive },
};

function shapeOf(holder: object): ReturnedObject {
  if ('createPool' in holder) return { methods: ofModule };
  return 'getConnection' in holder ? pool : connection;
}

/**
 * The module mysql2 or `mysql2/promise` itself, whose connections, pools and clusters are not opened in a replay; or a connection or pool
 * of it. Calls are crossings `database:mysql.<operation>`, also on what a client with promises stands on (`.connection`, `.pool`).
 * Rows come back in a replay as plain objects. What a query without a callback tells its listeners, or the stream that
 * `stream()` makes of it, are chunks; in a replay a query of the driver tells them again. A statement made by `prepare` has
 * `execute` and `close`.
 */
export function mysql2Client<Client extends object>(client: Client, options: ClientOptions = {}): Client {
  const { methods, getters: ofClient = {} } = shapeOf(methodHolder(client));
  return databaseClient(
    client,
    {
      name: 'mysql',
      view: sqlView('mysql'),
      methods: () => methods,
      members,
      getters: ofClient,
      classes: mysql2Classes,
    },
    options,
  );
}
