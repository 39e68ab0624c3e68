import { fileOrAddress, giving, memberOf, openedFile, preparing, uses, usesLater } from './native-effects.ts';
import type { NativeEffect, NativeLibrary } from './native-library.ts';

const libsql: NativeLibrary = {
  name: 'libsql',
  exports: ['databaseOpen', 'databasePrepareSync', 'statementRun'],
  openings: [
    { member: 'databaseOpen', name: 'libsql.Database', fails: 'throw', effectsOf: ([path]) => fileOrAddress(path) },
    {
      member: 'databaseOpenWithSync',
      name: 'libsql.Database',
      fails: 'throw',
      effectsOf: ([path, address]) => [...fileOrAddress(path), ...fileOrAddress(address)],
    },
  ],
  uses: [
    ...preparing(uses('databasePrepareSync')),
    ...preparing(usesLater('databasePrepareAsync')),
    ...uses('databaseExecSync', 'statementRun', 'statementGet', 'statementRowsSync'),
    ...usesLater('databaseExecAsync', 'statementRowsAsync'),
  ],
};

const betterSqlite3: NativeLibrary = {
  name: 'better-sqlite3',
  exports: ['Database', 'Statement', 'StatementIterator', 'Backup'],
  openings: [
    {
      member: 'new Database',
      name: 'better-sqlite3.Database',
      fails: 'throw',
      // (filename, as given, whether it has no file, whether it is read-only, …)
      effectsOf: ([file, , isInMemory, isReadOnly]) => openedFile(file, isInMemory === true || isReadOnly),
    },
  ],
  uses: [
    ...preparing(uses('Database#prepare')),
    ...uses('Database#exec', 'Statement#run', 'Statement#get', 'Statement#all', 'Statement#iterate'),
  ],
};

/** `SQLITE_OPEN_READONLY` of sqlite3.h. */
const sqliteReadOnly = 1;

const sqlite3: NativeLibrary = {
  name: 'sqlite3',
  exports: ['Database', 'Statement', 'OPEN_READONLY', 'SOURCE_ID'],
  openings: [
    {
      member: 'new Database',
      name: 'sqlite3.Database',
      fails: 'throw',
      effectsOf: ([file, mode]) => openedFile(file, mode === sqliteReadOnly),
    },
  ],
  uses: [
    ...preparing(uses('new Statement')),
    ...uses('Database#exec', 'Statement#run', 'Statement#get', 'Statement#all', 'Statement#each'),
  ],
};

const turso: NativeLibrary = {
  name: '@tursodatabase/database',
  exports: ['Database', 'BatchExecutor', 'EncryptionCipher'],
  openings: [
    {
      member: 'new Database',
      name: 'turso.Database',
      fails: 'throw',
      effectsOf: ([path, options]) => fileOrAddress(path, memberOf(options, 'readonly')),
    },
  ],
  uses: uses('Database#prepare', 'Database#executor'),
};

/** Settings of DuckDB by which a database is opened for reading only: its add-on gives them no other way to be looked at. */
const readOnlySettings = new WeakSet<object>();

function duckdbEffects(path: unknown, settings: unknown): readonly NativeEffect[] {
  const isReadOnly = typeof settings === 'object' && settings !== null && readOnlySettings.has(settings);
  return path === undefined ? [] : fileOrAddress(path, isReadOnly);
}

const duckdb: NativeLibrary = {
  name: '@duckdb/node-api',
  exports: ['open', 'connect', 'appender_create', 'execute_pending'],
  openings: [
    {
      member: 'open',
      name: 'duckdb.open',
      fails: 'reject',
      effectsOf: ([path, settings]) => duckdbEffects(path, settings),
    },
    {
      member: 'get_or_create_from_cache',
      isOptional: true,
      name: 'duckdb.open',
      fails: 'reject',
      effectsOf: ([, path, settings]) => duckdbEffects(path, settings),
    },
  ],
  uses: [
    ...giving(usesLater('connect')),
    ...giving(uses('appender_create', 'appender_create_ext')),
    ...preparing(usesLater('prepare', 'extract_statements', 'prepare_extracted_statement')),
    ...usesLater('query', 'execute_prepared', 'execute_prepared_streaming'),
    ...uses('pending_prepared', 'pending_prepared_streaming'),
    ...uses('append_data_chunk', 'appender_flush_sync', 'appender_close_sync'),
  ],
  settings: {
    set_config([settings, name, value]) {
      if (typeof settings !== 'object' || settings === null || !/^access_mode$/i.test(String(name))) return;
      if (/^read_only$/i.test(String(value))) readOnlySettings.add(settings);
      else readOnlySettings.delete(settings);
    },
  },
};

const lancedb: NativeLibrary = {
  name: '@lancedb/lancedb',
  exports: ['Connection', 'VectorQuery', 'NativeMergeInsertBuilder'],
  openings: [
    {
      member: 'Connection.new',
      name: 'lancedb.connect',
      fails: 'reject',
      effectsOf: ([place]) => fileOrAddress(place),
    },
    {
      member: 'Connection.newWithNamespace',
      isOptional: true,
      name: 'lancedb.connectNamespace',
      fails: 'reject',
      effectsOf: ([, properties]) => fileOrAddress(memberOf(properties, 'root') ?? memberOf(properties, 'uri')),
    },
  ],
  uses: [
    ...giving(usesLater('Connection#openTable', 'Connection#createTable', 'Connection#createEmptyTable')),
    ...usesLater('Connection#tableNames', 'Connection#dropTable', 'Connection#dropAllTables'),
    ...usesLater('Table#add', 'Table#update', 'Table#delete', 'Table#countRows', 'Table#createIndex', 'Table#optimize'),
    ...usesLater('Table#addColumns', 'Table#alterColumns', 'Table#dropColumns', 'Table#restore', 'Table#checkout'),
    ...uses('Table#query', 'Table#vectorSearch', 'Table#mergeInsert'),
  ],
};

const classicLevel: NativeLibrary = {
  name: 'classic-level',
  exports: ['db_init', 'db_open', 'batch_do'],
  openings: [
    {
      member: 'db_open',
      name: 'classic-level.open',
      fails: 'reject',
      effectsOf: ([, location]) => openedFile(location),
    },
  ],
  uses: uses('db_put', 'db_del', 'db_get', 'batch_do', 'batch_write', 'iterator_init'),
};

const couchbase: NativeLibrary = {
  name: 'couchbase',
  exports: ['Cas', 'MutationToken', 'Connection', 'enableProtocolLogger'],
  openings: [
    {
      member: 'Connection#connect',
      name: 'couchbase.connect',
      fails: 'callback',
      effectsOf: ([address]) => fileOrAddress(address),
    },
  ],
  uses: [
    ...uses('Connection#get', 'Connection#getAndLock', 'Connection#getAndTouch', 'Connection#getProjected'),
    ...uses('Connection#exists', 'Connection#touch', 'Connection#unlock', 'Connection#lookupIn', 'Connection#scan'),
    ...uses('Connection#insert', 'Connection#upsert', 'Connection#replace', 'Connection#remove', 'Connection#mutateIn'),
    ...uses('Connection#append', 'Connection#prepend', 'Connection#increment', 'Connection#decrement'),
    ...uses('Connection#query', 'Connection#analytics', 'Connection#search', 'Connection#openBucket'),
  ],
};

/** Below a device there is no folder in which a file could be made. */
const nowhere = process.platform === 'win32' ? '\\\\.\\NUL\\nowhere' : '/dev/null/nowhere';

const lmdb: NativeLibrary = {
  name: 'lmdb',
  exports: ['Env', 'Txn', 'Dbi', 'getEnvsPointer'],
  openings: [
    {
      member: 'Env#open',
      name: 'lmdb.open',
      fails: 'throw',
      effectsOf: ([options]) => openedFile(memberOf(options, 'path'), memberOf(options, 'readOnly')),
      // An environment that was made and never opened takes the process with it (SIGSEGV) when it is collected or the process ends.
      failingWith: ([options, ...others]) => [{ ...(options as object), path: nowhere }, ...others],
    },
  ],
  // Its reads and writes go through memory that it shares with its add-on.
  uses: [],
};

/** Add-ons of databases: each was tried with its release of November 2026. */
export const DATABASE_ADD_ONS: readonly NativeLibrary[] = [
  betterSqlite3,
  classicLevel,
  couchbase,
  duckdb,
  lancedb,
  libsql,
  lmdb,
  sqlite3,
  turso,
];
