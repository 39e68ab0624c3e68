import type { ErrorClass } from '@reenact/trace-model';
import type { ClientMethod, ReturnedObject } from '../object/client-definition.ts';
import type { ClientOptions } from '../object/client-options.ts';
import { databaseClient } from '../object/database-client.ts';
import { sqlEffect, sqlView } from '../sql/sql-call.ts';
import { statementEffect } from '../sql/statement-effect.ts';
import { betterSqlite3Transaction } from './better-sqlite3-transaction.ts';

const query: ClientMethod = { name: 'sqlite.query', effect: sqlEffect };
const setting: ClientMethod = { as: 'setting', returns: 'this' };
const aside: ClientMethod = { as: 'aside', returns: 'this' };

const statement: ReturnedObject = {
  methods: {
    run: query,
    get: query,
    all: query,
    iterate: query,
    columns: { name: 'sqlite.columns', effect: 'read' },
    bind: setting,
    pluck: setting,
    expand: setting,
    raw: setting,
    safeIntegers: setting,
  },
  fields: ['reader', 'readonly', 'source'],
};

const methods: Readonly<Record<string, ClientMethod>> = {
  exec: { name: 'sqlite.exec', effect: sqlEffect, returns: 'this' },
  prepare: { name: 'sqlite.prepare', effect: 'read', returns: statement },
  pragma: {
    name: 'sqlite.pragma',
    effect: ({ parameters: [text] }) => statementEffect(`PRAGMA ${String(text)}`),
  },
  backup: { name: 'sqlite.backup', effect: 'write' },
  serialize: { name: 'sqlite.serialize', effect: 'read' },
  explain: { name: 'sqlite.explain', effect: 'read' },
  close: { name: 'sqlite.close', effect: 'none', returns: 'this', closes: 'at once' },
  transaction: { around: betterSqlite3Transaction },
  function: aside,
  aggregate: aside,
  table: aside,
  loadExtension: aside,
  defaultSafeIntegers: aside,
  unsafeMode: aside,
};

const getters: Readonly<Record<string, ClientMethod>> = {
  inTransaction: { name: 'sqlite.inTransaction', effect: 'read' },
  memory: { name: 'sqlite.memory', effect: 'read' },
  name: { name: 'sqlite.name', effect: 'read' },
  open: { name: 'sqlite.isOpen', effect: 'read' },
  readonly: { name: 'sqlite.readonly', effect: 'read' },
};

/** The driver hangs its error class on the database class. */
function errorClassOf(client: object): readonly ErrorClass[] {
  const SqliteError: unknown = Reflect.get(typeof client === 'function' ? client : client.constructor, 'SqliteError');
  return typeof SqliteError === 'function' ? [SqliteError as ErrorClass] : [];
}

/**
 * The `Database` class of better-sqlite3, or one database of it, as crossings `database:sqlite.<operation>`. Given the class,
 * a replay opens no file. The code of a transaction runs again in a replay, between the crossings `sqlite.begin` and
 * `sqlite.commit`.
 */
export function betterSqlite3Client<Client extends object>(client: Client, options: ClientOptions = {}): Client {
  return databaseClient(
    client,
    {
      name: 'sqlite',
      view: sqlView('sqlite'),
      methods: () => methods,
      getters,
      isBare: true,
      errors: () => errorClassOf(client),
      other: {
        name: 'node:sqlite',
        members: ['enableLoadExtension', 'createSession'],
        lacks: ['pragma', 'transaction'],
        wrapper: 'sqliteClient',
      },
    },
    options,
  );
}
