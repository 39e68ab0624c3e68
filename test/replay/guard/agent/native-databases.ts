import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DuckDBInstance } from '@duckdb/node-api';
import Database from 'better-sqlite3';
import LibsqlDatabase from 'libsql';
import { open } from 'lmdb';
import type { Attempts } from './attempts.ts';

async function inDuckdb(file: string | undefined, statement: string): Promise<string> {
  const instance = await DuckDBInstance.create(file);
  await (await instance.connect()).run(statement);
  return statement;
}

/**
 * Has everything that nobody holds any more cleared away, also by the add-ons that it is of: an environment of lmdb that was made and never
 * opened ends the process then, which a refusal must not lead to.
 */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let times = 0; times < 3; times += 1) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Databases that native add-ons open, out of sight of everything that guards files of Node.js. */
export const attempts: Attempts = {
  'better-sqlite3.Database': () => new Database('kept.db').exec("INSERT INTO notes VALUES ('changed')").name,
  'better-sqlite3 statement': () =>
    new Database(':memory:').exec("ATTACH DATABASE 'attached.db' AS other; CREATE TABLE other.a (b)").name,
  'better-sqlite3 statement after a harmless one': () =>
    new Database(':memory:').exec("ATTACH ':memory:' AS a; ATTACH 'attached-second.db' AS b; CREATE TABLE b.a (b)")
      .name,
  'libsql.Database': () => String(new LibsqlDatabase('new.db').exec('CREATE TABLE notes (text)')),
  'lmdb.open': () => open({ path: 'notes.mdb', noSubdir: true }).put('a', 'b'),
  'duckdb.open': async () => {
    await collectGarbage();
    return await inDuckdb('new.duckdb', 'CREATE TABLE notes (text TEXT)');
  },
  'duckdb.open from the cache': async () => String(await DuckDBInstance.fromCache('cached.duckdb')),
  '@duckdb/node-api statement': () => inDuckdb(undefined, "COPY (SELECT 1) TO 'copied.csv'"),
  '@duckdb/node-api statement that attaches': () =>
    inDuckdb(undefined, "ATTACH 'attached.duckdb' AS other; CREATE TABLE other.notes (text TEXT)"),
};
