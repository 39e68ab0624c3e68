import type { ClientMethod, ReturnedObject } from './client-definition.ts';
import { type ClientOptions, eventMethods, methodHolder } from './client-options.ts';
import { databaseClient } from './database-client.ts';
import { sqlEffect, sqlView } from './sql-call.ts';

function isInstance(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype !== null && prototype !== Object.prototype;
}

function plainColumn(column: object): object {
  const toJSON: unknown = Reflect.get(column, 'toJSON');
  // Column definitions hold the packet they were read from, and say what matters when they are asked for JSON.
  return { ...((typeof toJSON === 'function' ? Reflect.apply(toJSON, column, []) : column) as object) };
}

/** Rows, headers and columns as plain objects; the driver makes a class for each result. */
function keepResult(result: unknown): unknown {
  if (Array.isArray(result)) return result.map(keepResult);
  if (typeof result !== 'object' || result === null || !isInstance(result)) return result;
  if ('columnType' in result) return plainColumn(result);
  return /(?:Row|Header)$/.test(result.constructor.name) ? { ...result } : result;
}

const query: ClientMethod = { name: 'mysql.query', effect: sqlEffect, callback: true, keep: keepResult };
const execute: ClientMethod = { ...query, name: 'mysql.execute' };
const connected = (operation: string, effect: 'none' | 'read' | 'write'): ClientMethod => ({
  name: `mysql.${operation}`,
  effect,
  callback: true,
  keep: keepResult,
});

const ofConnection: Readonly<Record<string, ClientMethod>> = {
  query,
  execute,
  connect: connected('connect', 'read'),
  ping: connected('ping', 'read'),
  beginTransaction: connected('beginTransaction', 'write'),
  commit: connected('commit', 'write'),
  rollback: connected('rollback', 'write'),
  changeUser: connected('changeUser', 'write'),
  reset: connected('reset', 'write'),
  end: connected('end', 'none'),
  release: { as: 'aside' },
  destroy: { as: 'aside' },
  unprepare: { as: 'aside' },
  ...eventMethods,
};

const connection: ReturnedObject = {
  methods: { ...ofConnection, promise: { as: 'step', returns: { methods: ofConnection } } },
};

const ofPool: Readonly<Record<string, ClientMethod>> = {
  query,
  execute,
  end: connected('end', 'none'),
  getConnection: { ...connected('getConnection', 'read'), returns: connection },
  releaseConnection: { as: 'aside' },
  ...eventMethods,
};

const secretive = { hidesArguments: true } as const;
const ofModule: Readonly<Record<string, ClientMethod>> = {
  createConnection: { name: 'mysql.connect', effect: 'read', returns: connection, ...secretive },
  createPool: {
    as: 'aside',
    returns: { methods: { ...ofPool, promise: { as: 'step', returns: { methods: ofPool } } } },
    ...secretive,
  },
};

function methodsOf(holder: object): Readonly<Record<string, ClientMethod>> {
  if ('createPool' in holder) return ofModule;
  const all = 'getConnection' in holder ? ofPool : ofConnection;
  return { ...all, promise: { as: 'step', returns: { methods: all } } };
}

/**
 * The module mysql2 or `mysql2/promise` itself, whose connections and pools are not opened in a replay; or a connection or pool of it. Calls are crossings `database:mysql.<operation>`.
 * Rows come back in a replay as plain objects. Not covered: queries without a callback that are read as streams, `prepare`.
 */
export function mysql2Client<Client extends object>(client: Client, options: ClientOptions = {}): Client {
  return databaseClient(
    client,
    { name: 'mysql', view: sqlView('mysql'), methods: () => methodsOf(methodHolder(client)) },
    options,
  );
}
