import type { ClientMethod, ReturnedObject } from '../object/client-definition.ts';
import type { ClientOptions } from '../object/client-options.ts';
import { databaseClient } from '../object/database-client.ts';
import { sqlEffect, sqlView } from '../sql/sql-call.ts';

const query: ClientMethod = { name: 'sqlite.query', effect: sqlEffect };
const setting: ClientMethod = { as: 'setting' };

const statement: ReturnedObject = {
  methods: {
    run: query,
    get: query,
    all: query,
    iterate: query,
    columns: { name: 'sqlite.columns', effect: 'read' },
    setAllowBareNamedParameters: setting,
    setAllowUnknownNamedParameters: setting,
    setReadBigInts: setting,
    setReturnArrays: setting,
  },
  fields: ['sourceSQL'],
};

const methods: Readonly<Record<string, ClientMethod>> = {
  exec: { name: 'sqlite.exec', effect: sqlEffect },
  prepare: { name: 'sqlite.prepare', effect: 'read', returns: statement },
  open: { name: 'sqlite.open', effect: 'read' },
  close: { name: 'sqlite.close', effect: 'none', closes: 'at once' },
  function: { as: 'aside' },
  aggregate: { as: 'aside' },
  setAuthorizer: { as: 'aside' },
  enableDefensive: { as: 'aside' },
};

const getters: Readonly<Record<string, ClientMethod>> = {
  isOpen: { name: 'sqlite.isOpen', effect: 'read' },
  isTransaction: { name: 'sqlite.isTransaction', effect: 'read' },
};

/**
 * `DatabaseSync` of `node:sqlite`, or one database of it, as crossings `database:sqlite.<operation>`. Given the class, a
 * replay opens no file. Sessions, tag stores and extensions are left alone: not recorded, and refused where a replay has no
 * open database.
 */
export function sqliteClient<Client extends object>(client: Client, options: ClientOptions = {}): Client {
  return databaseClient(
    client,
    {
      name: 'sqlite',
      view: sqlView('sqlite'),
      methods: () => methods,
      getters,
      isBare: true,
      other: {
        name: 'better-sqlite3',
        members: ['pragma', 'transaction'],
        lacks: ['enableLoadExtension', 'createSession'],
        wrapper: 'betterSqlite3Client',
      },
    },
    options,
  );
}
