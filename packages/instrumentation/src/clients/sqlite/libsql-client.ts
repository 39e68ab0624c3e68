import type { Effect, ErrorClass } from '@reenact/trace-model';
import type { ClientCall, ClientMethod, ReturnedObject } from '../object/client-definition.ts';
import { type ClientOptions, methodHolder, presentMethods } from '../object/client-options.ts';
import { databaseClient } from '../object/database-client.ts';
import type { DriverClasses } from '../object/driver-classes.ts';
import { sqlEffect, sqlView } from '../sql/sql-call.ts';
import { plainLibsqlResult, revivedLibsqlResult } from './libsql-result.ts';

/** One statement of a batch: its text, an object with it, or a list of text and arguments. */
function textOf(statement: unknown): unknown {
  if (Array.isArray(statement)) return statement[0];
  return typeof statement === 'object' && statement !== null ? Reflect.get(statement, 'sql') : statement;
}

/** The call with all statements of a batch as its text. */
function asText(call: ClientCall): ClientCall {
  const [statements] = call.parameters;
  return Array.isArray(statements) ? { ...call, parameters: [statements.map(textOf).join(';\n')] } : call;
}

const answer = { keep: plainLibsqlResult, revive: revivedLibsqlResult } as const;
const effect = (call: ClientCall): Effect => sqlEffect(asText(call));

const asking: Readonly<Record<string, ClientMethod>> = {
  execute: { name: 'libsql.execute', effect, ...answer },
  batch: { name: 'libsql.batch', effect, ...answer },
  executeMultiple: { name: 'libsql.executeMultiple', effect },
};

/** It is so, too, where a statement ended the transaction, or a server the connection. */
const getters: Readonly<Record<string, ClientMethod>> = { closed: { name: 'libsql.closed', effect: 'read' } };

const transaction: ReturnedObject = {
  methods: {
    ...asking,
    commit: { name: 'libsql.commit', effect: 'write' },
    rollback: { name: 'libsql.rollback', effect: 'write' },
    close: { name: 'libsql.closeTransaction', effect: 'write' },
  },
  getters,
};

const client: ReturnedObject = {
  methods: {
    ...asking,
    migrate: { name: 'libsql.migrate', effect: 'write', ...answer },
    transaction: {
      name: 'libsql.transaction',
      effect: ({ parameters: [mode] }) => (mode === 'read' ? 'read' : 'write'),
      returns: transaction,
    },
    sync: { name: 'libsql.sync', effect: 'write' },
    reconnect: { name: 'libsql.reconnect', effect: 'read' },
    close: { name: 'libsql.close', effect: 'none', closes: 'at once' },
  },
  fields: ['protocol'],
  getters,
};

/** Of the module. It opens the file, or makes one, before anybody could wrap what it gives. */
const createClient: ClientMethod = {
  name: 'libsql.createClient',
  effect: 'write',
  hidesArguments: true,
  returns: client,
};

/** Where the classes of `@libsql/client` are found. */
export const libsqlClasses: DriverClasses = {
  packageName: '@libsql/client',
  exported: ['createClient'],
  errors: /^Libsql(?:Batch)?Error$/,
};

/** The add-on beneath it, whose error stands behind each of those with a file. */
export const libsqlAddOnClasses: DriverClasses = {
  packageName: 'libsql',
  exported: ['SqliteError'],
  errors: /^SqliteError$/,
};

/** Those that the module exports: as an ES module it is not among the modules that can be looked through. */
function errorsOf(holder: object): readonly ErrorClass[] {
  return ['LibsqlError', 'LibsqlBatchError']
    .map((name) => Reflect.get(holder, name) as unknown)
    .filter((found): found is ErrorClass => typeof found === 'function');
}

/**
 * The module `@libsql/client`, whose clients open no file and connect to nothing in a replay; or a client of it. Calls are crossings
 * `database:libsql.<operation>`, also those of a transaction. Rows come back in a replay with indices, names and length, and errors as
 * instances of the classes that the module exports.
 */
export function libsqlClient<Client extends object>(holder: Client, options: ClientOptions = {}): Client {
  const isModule = 'createClient' in methodHolder(holder);
  const methods = isModule ? { createClient } : (client.methods as Readonly<Record<string, ClientMethod>>);
  return databaseClient(
    holder,
    {
      name: 'libsql',
      view: (call) => sqlView('libsql')(asText(call)),
      methods: () => presentMethods(holder, methods),
      ...(!isModule && { getters }),
      classes: libsqlClasses,
      errors: () => errorsOf(holder),
    },
    options,
  );
}
