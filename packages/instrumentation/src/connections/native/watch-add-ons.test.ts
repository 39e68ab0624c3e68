import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { gate } from '../../admission/current-gate.ts';
import { agent, boundary, tool } from '../../boundary/boundaries.ts';
import { betterSqlite3Client } from '../../clients/sqlite/better-sqlite3-client.ts';
import type { CrossingFacts } from '../../gate/crossing-facts.ts';
import { trapLog } from '../../traps/trap-log.ts';
import { installConnectionWatch } from '../install-connection-watch.ts';
import { watchAddOn } from './watched-add-on.ts';

const recorded: CrossingFacts[] = [];
let folder: string;
let uninstall = (): void => undefined;

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  gate.configure({ recorder: { record: (facts) => recorded.push(facts) } });
  folder = mkdtempSync(join(tmpdir(), 'reenact-add-ons-'));
  // The library loads its add-on with the first database that it opens.
  uninstall = installConnectionWatch();
});

afterAll(() => {
  uninstall();
  rmSync(folder, { recursive: true });
  gate.configure({ recorder: undefined });
  context.disable();
});

beforeEach(() => {
  recorded.length = 0;
});

async function marksOf(work: () => unknown): Promise<readonly string[]> {
  await agent('outer', async () => {
    await work();
  })();
  return recorded.findLast(({ boundary: { name } }) => name === 'outer')?.lossy ?? [];
}

function countIn(path: string): unknown {
  const database = new Database(path);
  try {
    return database.prepare('SELECT count(*) AS found FROM sqlite_master').get();
  } finally {
    database.close();
  }
}

it('marks an agent that opens a database by a native add-on which nothing records', async () => {
  const path = join(folder, 'facts.db');
  expect(await marksOf(() => countIn(path))).toEqual([`/connections/database ${path} by better-sqlite3`]);
});

it('marks an agent that uses a database which the program has opened', async () => {
  const path = join(folder, 'opened.db');
  const database = new Database(path);
  expect(await marksOf(() => database.exec('CREATE TABLE notes (text)'))).toEqual([
    `/connections/database ${path} by better-sqlite3`,
  ]);
  database.close();
});

it('marks an agent that runs a statement which the program has prepared', async () => {
  const path = join(folder, 'prepared.db');
  const database = new Database(path).exec('CREATE TABLE notes (text)');
  const count = database.prepare('SELECT count(*) AS found FROM notes');
  expect(await marksOf(() => count.get())).toEqual([`/connections/database ${path} by better-sqlite3`]);
  database.close();
});

it('marks nothing where a wrapped client begins and ends a transaction, and what its code asks beside that client', async () => {
  const Wrapped = betterSqlite3Client(Database);
  new Database(join(folder, 'kept.sqlite')).exec('CREATE TABLE orders (id INTEGER PRIMARY KEY)').close();
  const kept = new Wrapped(join(folder, 'kept.sqlite'));
  const place = kept.transaction(() => kept.exec('INSERT INTO orders DEFAULT VALUES'));
  expect(await marksOf(() => [place(), place.immediate()])).toEqual([]);
  const other = join(folder, 'other.sqlite');
  const beside = kept.transaction(() => countIn(other));
  expect(await marksOf(() => beside())).toEqual([`/connections/database ${other} by better-sqlite3`]);
});

it('marks an agent whose database in memory reaches a file', async () => {
  const path = join(folder, 'attached.db');
  const database = new Database(':memory:');
  expect(await marksOf(() => database.exec(`ATTACH '${path}' AS other`))).toEqual([
    `/connections/database ${path} by better-sqlite3`,
  ]);
  database.close();
});

it('marks nothing where the database is in memory or read-only, nor inside of a tool', async () => {
  const path = join(folder, 'read.db');
  const opened = new Database(path).exec('CREATE TABLE notes (text)');
  opened.close();
  expect(await marksOf(() => countIn(':memory:'))).toEqual([]);
  expect(await marksOf(() => new Database(path, { readonly: true }).prepare('SELECT * FROM notes').all())).toEqual([]);
  expect(await marksOf(tool('count', () => countIn(path)))).toEqual([]);
});

it('marks an agent whose add-on asks a model itself, and reports that nothing recorded it', async () => {
  const answer = async (name: string) => `${name} answered`;
  const methods = {
    callFunction: answer,
    callFunctionSync: answer,
    streamFunction: answer,
    streamFunctionSync: answer,
  };
  const BamlRuntime = function BamlRuntime(): void {};
  Object.assign(BamlRuntime.prototype, methods);
  watchAddOn({ BamlRuntime, FunctionResultStream: class {}, RuntimeContextManager: class {} });
  const runtime = Object.create(BamlRuntime.prototype) as typeof methods;
  const reported: string[] = [];
  const stop = trapLog.listen(({ kind, detail }) => reported.push(`${kind} ${detail}`));
  expect(await marksOf(boundary('model', 'extract', () => runtime.callFunction('Extract')))).toEqual([]);
  expect(reported).toEqual([]);
  expect(await marksOf(() => runtime.callFunction('Extract'))).toEqual([
    '/connections/model of Extract by @boundaryml/baml',
  ]);
  expect(reported).toEqual(['unrecorded-model-call @boundaryml/baml']);
  stop();
});

it('marks nothing for a transaction of a wrapped database, and what another one is asked inside of it', async () => {
  const path = join(folder, 'other.db');
  const other = new Database(path).exec('CREATE TABLE notes (text)');
  const database = new (betterSqlite3Client(Database))(join(folder, 'wrapped.db'));
  database.exec('CREATE TABLE notes (text UNIQUE)');
  const add = database.prepare('INSERT INTO notes VALUES (?)');
  const transaction = database.transaction((text: string) => add.run(text));
  const failing = (): void => {
    expect(() => transaction.immediate('first')).toThrow('UNIQUE');
  };
  expect([await marksOf(() => transaction('first')), await marksOf(failing)]).toEqual([[], []]);
  const asking = database.transaction(() => other.exec("INSERT INTO notes VALUES ('first')"));
  expect(await marksOf(() => asking())).toEqual([`/connections/database ${path} by better-sqlite3`]);
  for (const one of [other, database]) one.close();
});

it('marks a run for a database that the program has opened before it, also where only a tool asks it, and for none that a replay makes again', async () => {
  const kept = mkdtempSync(resolve('node_modules', 'reenact-add-ons-'));
  const [path, scratch] = [join(kept, 'kept.db'), join(folder, 'scratch.db')];
  const opened = [path, scratch].map((place) => new Database(place).exec('CREATE TABLE notes (text)'));
  const count = tool('count', () => opened.map((one) => one.prepare('SELECT count(*) FROM notes').get()));
  const databases = (await marksOf(count)).filter((mark) => mark.includes('database'));
  expect(databases).toEqual([`/connections/before the run: database ${path} by better-sqlite3`]);
  for (const one of opened) one.close();
  rmSync(kept, { recursive: true });
});

it('marks a run for a database at an address that the program has opened before it', async () => {
  // It loads its add-on at once, which is to be seen.
  const { default: Libsql } = await import('libsql');
  const database = new Libsql('http://127.0.0.1:9');
  const marks = await marksOf(() => undefined);
  database.close();
  expect(marks).toContain('/connections/before the run: 127.0.0.1:9 by libsql');
});
