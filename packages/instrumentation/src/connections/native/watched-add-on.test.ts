import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listenToAddOns, type NativeCall, standInExports, watchAddOn, watchLoadedAddOn } from './watched-add-on.ts';

const heard: NativeCall[] = [];
let refusal: Error | undefined;
let stop = (): void => undefined;

beforeEach(() => {
  stop = listenToAddOns((call) => {
    heard.push(call);
    return refusal;
  });
});

afterEach(() => {
  stop();
  heard.length = 0;
  refusal = undefined;
});

/** Holds a property fast, as Node-API does with members of its classes. */
function heldFast(owner: object, key: string): void {
  Object.defineProperty(owner, key, { writable: false, configurable: false });
}

/** What libsql's add-on exports, as far as it matters. */
function libsqlExports() {
  return {
    databaseOpen: (path: string) => ({ path }),
    databaseOpenWithSync: (path: string, address: string) => ({ path, address }),
    databasePrepareSync(this: object, text: string) {
      return { database: this, text };
    },
    statementRun: () => 1,
  };
}

function lmdbExports() {
  class Env {
    path = '';
    open(options: { path: string; readOnly?: boolean }) {
      this.path = options.path;
      return 0;
    }
  }
  heldFast(Env.prototype, 'open');
  return { Env, Txn: class {}, Dbi: class {}, getEnvsPointer: () => 0 };
}

function lancedbExports() {
  class Connection {
    place = '';
    static async new(place: string) {
      return Object.assign(new Connection(), { place });
    }
  }
  heldFast(Connection, 'new');
  return { Connection, VectorQuery: class {}, NativeMergeInsertBuilder: class {} };
}

function temporalExports() {
  return {
    newClient: async (_runtime: object, { targetUrl }: { targetUrl: string }) => ({ targetUrl }),
    newEphemeralServer: async () => ({}),
    newWorker: () => ({}),
    workerPollActivityTask: async () => Buffer.alloc(0),
    clientSendWorkflowServiceRequest: async (client: object) => client,
  };
}

type Called = (error: Error | null) => void;

/** What Couchbase's add-on exports, as far as it matters. */
function couchbaseExports() {
  class Connection {
    connect(_address: string, _credentials: object, done: Called) {
      done(null);
    }
    get(_key: object, done: Called) {
      done(null);
    }
  }
  return { Connection, Cas: class {}, MutationToken: class {}, enableProtocolLogger: () => undefined };
}

/** What BAML's add-on exports, as far as it matters. */
function bamlExports() {
  class BamlRuntime {
    async callFunction(name: string) {
      return `${name} answered`;
    }
    callFunctionSync(name: string) {
      return `${name} answered`;
    }
    streamFunction(name: string) {
      return { name };
    }
    streamFunctionSync(name: string) {
      return { name };
    }
  }
  return { BamlRuntime, FunctionResultStream: class {}, RuntimeContextManager: class {} };
}

describe('a native add-on that asks models itself', () => {
  it('is asked about before each call, and asks nobody where that is refused', async () => {
    const exports = bamlExports();
    expect(watchAddOn(exports)).toBe(true);
    const runtime = new exports.BamlRuntime();
    expect(await runtime.callFunction('Extract')).toBe('Extract answered');
    expect(runtime.streamFunction('Say')).toEqual({ name: 'Say' });
    expect(heard.map(({ opening, effects }) => [opening?.name, effects])).toEqual([
      ['baml.callFunction', [{ type: 'model', call: 'Extract' }]],
      ['baml.streamFunction', [{ type: 'model', call: 'Say' }]],
    ]);
    refusal = new Error('refused');
    await expect(runtime.callFunction('Extract')).rejects.toBe(refusal);
    expect(() => runtime.streamFunctionSync('Say')).toThrow(refusal);
  });
});

describe('a native add-on that works for a server', () => {
  it('is asked about before it connects, and takes no task where that is refused', async () => {
    const exports = temporalExports();
    expect(watchAddOn(exports)).toBe(true);
    const options = { targetUrl: 'https://127.0.0.1:7233' };
    const client = await exports.newClient({}, options);
    expect(await exports.clientSendWorkflowServiceRequest(client)).toBe(client);
    const effects = [{ type: 'address', address: 'https://127.0.0.1:7233' }];
    expect(heard.map(({ opening, effects: meant }) => [opening?.name, meant])).toEqual([
      ['temporal.connect', effects],
      [undefined, effects],
    ]);
    refusal = new Error('refused');
    await expect(exports.newClient({}, options)).rejects.toBe(refusal);
    await expect(exports.newEphemeralServer()).rejects.toBe(refusal);
  });
});

describe('a native add-on that asks a server', () => {
  it('is asked about before it connects, and called back where that is refused', async () => {
    const exports = couchbaseExports();
    expect(watchAddOn(exports)).toBe(true);
    const connection = new exports.Connection();
    const connect = (): Promise<unknown> =>
      new Promise((resolve) => connection.connect('couchbase://127.0.0.1:11210', {}, resolve));
    expect(await connect()).toBeNull();
    connection.get({}, () => undefined);
    expect(heard.map(({ library, opening, effects }) => [library.name, opening?.name, effects])).toEqual([
      ['couchbase', 'couchbase.connect', [{ type: 'address', address: 'couchbase://127.0.0.1:11210' }]],
      ['couchbase', undefined, undefined],
    ]);
    refusal = new Error('refused');
    expect(await connect()).toBe(refusal);
  });
});

describe('a native add-on that opens databases', () => {
  it('is asked about before it opens one, and when it is used', () => {
    const exports = libsqlExports();
    expect(watchAddOn(exports)).toBe(true);
    const opened = exports.databaseOpen('/data/facts.db');
    expect(exports.databasePrepareSync.call(opened, 'SELECT 1')).toEqual({ database: opened, text: 'SELECT 1' });
    const effects = [{ type: 'file', location: '/data/facts.db' }];
    expect(heard.map(({ opening, effects: meant, statement }) => [opening?.name, meant, statement])).toEqual([
      ['libsql.Database', effects, undefined],
      [undefined, effects, 'SELECT 1'],
    ]);
  });

  it('tells what is kept in memory from what is not, and an address from a path', () => {
    const exports = libsqlExports();
    watchAddOn(exports);
    exports.databasePrepareSync.call(exports.databaseOpen(':memory:'), 'SELECT 1');
    exports.databaseOpenWithSync('/data/copy.db', 'libsql://facts.example');
    expect(heard.map(({ effects }) => effects)).toEqual([
      [],
      [],
      [
        { type: 'file', location: '/data/copy.db' },
        { type: 'address', address: 'libsql://facts.example' },
      ],
    ]);
  });

  it('fails with the refusal, as it would fail itself', async () => {
    const [libsql, lance] = [libsqlExports(), lancedbExports()];
    watchAddOn(libsql);
    watchAddOn(lance);
    refusal = new Error('refused');
    expect(() => libsql.databaseOpen('/data/facts.db')).toThrow(refusal);
    await expect(lance.Connection.new('/data/lance')).rejects.toBe(refusal);
  });
});

/** What DuckDB's add-on exports, as far as it matters: all of it is held fast, and knows its state by what it is called on. */
function duckdbExports() {
  const exports = {
    create_config: () => ({}),
    set_config: (_settings: object, _name: string, _value: string) => undefined,
    async open(this: unknown, path?: string, _settings?: object) {
      if (this !== exports) throw new Error('called on something else');
      return { path };
    },
    connect: async (_database: object) => ({}),
    extract_statements: async (_connection: object, _text: string) => ({
      extracted_statements: {},
      statement_count: 1,
    }),
    prepare_extracted_statement: async (_connection: object, _extracted: object, _index: number) => ({}),
    execute_prepared: async (_prepared: object) => ({}),
    appender_create: (_connection: object) => ({}),
    execute_pending: () => undefined,
  };
  for (const key of Object.keys(exports)) heldFast(exports, key);
  return exports;
}

describe('a native add-on that holds its exports fast', () => {
  it('is looked at by what stands for them in its module', async () => {
    const exports = duckdbExports();
    const module: { exports: unknown } = { exports };
    expect(watchLoadedAddOn(module)).toBe(true);
    const standing = module.exports as typeof exports;
    expect([standing === exports, Object.keys(standing)]).toEqual([false, Object.keys(exports)]);
    expect(await standing.open('/data/facts.duckdb')).toEqual({ path: '/data/facts.duckdb' });
    refusal = new Error('refused');
    await expect(standing.open('/data/facts.duckdb')).rejects.toBe(refusal);
    const again: { exports: unknown } = { exports: standing };
    expect([watchLoadedAddOn(again), again.exports === standing]).toEqual([true, true]);
  });

  it('has each call told with the statement that it runs and what it is run on', async () => {
    const module: { exports: unknown } = { exports: duckdbExports() };
    watchLoadedAddOn(module);
    const duckdb = module.exports as ReturnType<typeof duckdbExports>;
    const connection = await duckdb.connect(await duckdb.open('/data/facts.duckdb'));
    const { extracted_statements } = await duckdb.extract_statements(connection, 'SELECT 1');
    await duckdb.execute_prepared(await duckdb.prepare_extracted_statement(connection, extracted_statements, 0));
    const effects = [{ type: 'file', location: '/data/facts.duckdb' }];
    expect(heard.map((call) => [call.effects, call.statement])).toEqual([
      [effects, undefined],
      [effects, undefined],
      [effects, 'SELECT 1'],
      [effects, 'SELECT 1'],
      [effects, 'SELECT 1'],
    ]);
  });

  it('tells what is opened for reading by settings that were made before', async () => {
    const module: { exports: unknown } = { exports: duckdbExports() };
    watchLoadedAddOn(module);
    const duckdb = module.exports as ReturnType<typeof duckdbExports>;
    const settings = duckdb.create_config();
    duckdb.set_config(settings, 'access_mode', 'READ_ONLY');
    await duckdb.open('/data/facts.duckdb', settings);
    await duckdb.open('/data/facts.duckdb', duckdb.create_config());
    await duckdb.open(':memory:');
    expect(heard.map(({ effects }) => effects?.length)).toEqual([0, 1, 0]);
  });
});

describe('what an add-on exports', () => {
  it('is looked at where members of its classes are held fast, and instances stay its own', async () => {
    const [lmdb, lance] = [lmdbExports(), lancedbExports()];
    const { Env } = lmdb;
    const { Connection } = lance;
    expect([watchAddOn(lmdb), watchAddOn(lance)]).toEqual([true, true]);
    const env = new lmdb.Env();
    expect([env.open({ path: '/data/lmdb' }), env.path, env instanceof Env, env instanceof lmdb.Env]).toEqual([
      0,
      '/data/lmdb',
      true,
      true,
    ]);
    const connection = await lance.Connection.new('/data/lance');
    expect([connection.place, connection instanceof Connection, connection instanceof lance.Connection]).toEqual([
      '/data/lance',
      true,
      true,
    ]);
    expect(lance.Connection.name).toBe('Connection');
    expect(heard.map(({ opening }) => opening?.name)).toEqual(['lmdb.open', 'lancedb.connect']);
  });

  it('is opened where nothing can be, before it is refused, where it must not stay unopened', () => {
    const exports = lmdbExports();
    watchAddOn(exports);
    refusal = new Error('refused');
    const env = new exports.Env();
    expect(() => env.open({ path: '/data/lmdb' })).toThrow(refusal);
    expect(env.path).toMatch(/nowhere$/);
  });

  it('is left as it is where it holds everything fast, which is said', () => {
    const exports = libsqlExports();
    for (const key of Object.keys(exports)) heldFast(exports, key);
    expect(watchAddOn(exports)).toBe(false);
    exports.databaseOpen('/data/facts.db');
    expect(heard).toEqual([]);
  });

  it('can stand in another object that knows whose its functions are', () => {
    const exports = libsqlExports();
    const state = new Map([[exports, 'open']]);
    Object.assign(exports, {
      stateOf(this: typeof exports) {
        return state.get(this);
      },
    });
    for (const key of Object.keys(exports)) heldFast(exports, key);
    const standing = standInExports(exports) as typeof exports & { stateOf(): string };
    expect(watchAddOn(standing)).toBe(true);
    expect([standing.stateOf(), standing.databaseOpen('/data/facts.db')]).toEqual(['open', { path: '/data/facts.db' }]);
    expect(heard).toHaveLength(1);
  });

  it('is watched once, and let alone when nobody listens any more', () => {
    const exports = libsqlExports();
    watchAddOn(exports);
    expect(watchAddOn(exports)).toBe(true);
    exports.databaseOpen('/data/facts.db');
    expect(heard).toHaveLength(1);
    stop();
    refusal = new Error('refused');
    expect(exports.databaseOpen('/data/facts.db')).toEqual({ path: '/data/facts.db' });
  });
});

it('leaves alone what is of no library that is known', () => {
  expect([watchAddOn({ parseSync: () => 1 }), watchAddOn(undefined), watchAddOn('text')]).toEqual([
    false,
    false,
    false,
  ]);
});

describe('the host of an add-on', () => {
  it('is handed a promise of its own, so that a failure which it forgets is still one', async () => {
    const failure = new Error('no such folder');
    const failed = Promise.reject(failure);
    const exports = { ...lancedbExports(), Connection: Object.assign(class {}, { new: () => failed }) };
    watchAddOn(exports);
    const handed = exports.Connection.new();
    expect(handed).not.toBe(failed);
    await expect(handed).rejects.toBe(failure);
  });

  it('opens what it is asked to where that cannot be read', () => {
    const exports = lmdbExports();
    watchAddOn(exports);
    const options = {
      path: '/data/lmdb',
      get readOnly(): boolean {
        throw new Error('not to be read');
      },
    };
    expect(new exports.Env().open(options)).toBe(0);
    expect(heard.map(({ effects }) => effects)).toEqual([undefined]);
  });
});
