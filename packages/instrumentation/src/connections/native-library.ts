/** What a call of a native add-on is about to do to the world. */
export type NativeEffect =
  | {
      /** Opens a file or folder for writing, given as a path or a `file:` URL. */
      readonly type: 'file';
      readonly location: unknown;
    }
  | {
      /** Connects to a URL. */
      readonly type: 'address';
      readonly address: string;
    }
  | { readonly type: 'program'; readonly program: string }
  | {
      /** Asks a model over HTTP of its own, wherever its settings say. */
      readonly type: 'model';
      /** What is called, as people know it. */
      readonly call: string;
    };

/** One member of an add-on by which a library opens what it works on. */
export interface NativeOpening {
  /** Where it stands in the exports: `open`, `new Database`, `Connection.new`, `Env#open`. */
  readonly member: string;
  /** How people know it: `libsql.Database`. */
  readonly name: string;
  /** How it fails. */
  readonly fails: 'throw' | 'reject';
  /** Empty where nothing outside the process can change: what is in memory, or opened for reading. */
  readonly effectsOf: (parameters: readonly unknown[]) => readonly NativeEffect[];
}

/** A library whose work is done in a native add-on. */
export interface NativeLibrary {
  readonly name: string;
  /** Exports that tell the add-on, whatever a bundler called its file. */
  readonly exports: readonly string[];
  readonly openings: readonly NativeOpening[];
  /**
   * Further members by which calls reach what is open, few and not the fastest; written as those of openings. What is open is their
   * `this`, or what they are given first.
   */
  readonly uses: readonly string[];
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

function openedFile(location: unknown, isReadOnly: unknown = false): readonly NativeEffect[] {
  const isInMemory = location === '' || (typeof location === 'string' && /^(?:file:)?:memory:/.test(location));
  return isInMemory || isReadOnly === true ? [] : [{ type: 'file', location }];
}

function fileOrAddress(location: unknown, isReadOnly: unknown = false): readonly NativeEffect[] {
  // One letter is a drive of Windows.
  const isAddress = typeof location === 'string' && /^[a-z][a-z\d+.-]+:/i.test(location) && !/^file:/i.test(location);
  if (!isAddress) return openedFile(location, isReadOnly);
  return location.startsWith('memory:') ? [] : [{ type: 'address', address: location }];
}

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
  uses: ['databasePrepareSync', 'databasePrepareAsync', 'databaseExecSync', 'databaseExecAsync'],
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
  uses: ['Database#prepare', 'Database#exec'],
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
  uses: ['Database#exec', 'new Statement'],
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
  uses: ['Database#prepare', 'Database#executor'],
};

const duckdb: NativeLibrary = {
  name: '@duckdb/node-api',
  exports: ['open', 'connect', 'appender_create', 'execute_pending'],
  openings: [
    {
      member: 'open',
      name: 'duckdb.open',
      fails: 'reject',
      effectsOf: ([path, config]) =>
        path === undefined ? [] : fileOrAddress(path, memberOf(config, 'access_mode') === 'READ_ONLY'),
    },
  ],
  // They are given a connection, of which nobody can tell here whether its database is a file.
  uses: [],
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
  ],
  uses: ['Connection#openTable', 'Connection#createTable'],
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
  uses: ['db_put', 'db_del', 'db_get', 'batch_do', 'batch_write', 'iterator_init'],
};

const lmdb: NativeLibrary = {
  name: 'lmdb',
  exports: ['Env', 'Txn', 'Dbi', 'getEnvsPointer'],
  openings: [
    {
      member: 'Env#open',
      name: 'lmdb.open',
      fails: 'throw',
      effectsOf: ([options]) => openedFile(memberOf(options, 'path'), memberOf(options, 'readOnly')),
    },
  ],
  // Its reads and writes go through memory that it shares with its add-on.
  uses: [],
};

const nodePty: NativeLibrary = {
  name: 'node-pty',
  exports: ['fork', 'open', 'resize', 'process'],
  openings: [
    {
      member: 'fork',
      name: 'pty.spawn',
      fails: 'throw',
      effectsOf: ([program]) => [{ type: 'program', program: String(program) }],
    },
  ],
  uses: [],
};

const temporal: NativeLibrary = {
  name: '@temporalio/core-bridge',
  exports: ['newClient', 'newWorker', 'newEphemeralServer', 'workerPollActivityTask'],
  openings: [
    {
      member: 'newClient',
      name: 'temporal.connect',
      fails: 'reject',
      effectsOf: ([, options]) => [{ type: 'address', address: String(memberOf(options, 'targetUrl')) }],
    },
    {
      member: 'newEphemeralServer',
      name: 'temporal.testServer',
      fails: 'reject',
      effectsOf: () => [{ type: 'program', program: 'temporal' }],
    },
  ],
  uses: ['clientSendWorkflowServiceRequest'],
};

function modelCall(member: string, fails: 'throw' | 'reject'): NativeOpening {
  return {
    member: `BamlRuntime#${member}`,
    name: `baml.${member}`,
    fails,
    effectsOf: ([name]) => [{ type: 'model', call: String(name) }],
  };
}

const baml: NativeLibrary = {
  name: '@boundaryml/baml',
  exports: ['BamlRuntime', 'FunctionResultStream', 'RuntimeContextManager'],
  openings: [
    modelCall('callFunction', 'reject'),
    modelCall('callFunctionSync', 'throw'),
    modelCall('streamFunction', 'throw'),
    modelCall('streamFunctionSync', 'throw'),
  ],
  uses: [],
};

/**
 * The libraries that are known: each was tried with its release of November 2026. `zeromq` is none of them, for its
 * add-on holds fast what would have to be replaced.
 */
const LIBRARIES: readonly NativeLibrary[] = [
  baml,
  betterSqlite3,
  classicLevel,
  duckdb,
  lancedb,
  libsql,
  lmdb,
  nodePty,
  sqlite3,
  temporal,
  turso,
];

/** The library that what an add-on exports belongs to; undefined where none is known. */
export function nativeLibraryOf(exports: unknown): NativeLibrary | undefined {
  if (typeof exports !== 'object' || exports === null) return undefined;
  return LIBRARIES.find((library) => library.exports.every((key) => Object.hasOwn(exports, key)));
}
