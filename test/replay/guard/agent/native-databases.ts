import Database from 'better-sqlite3';
import LibsqlDatabase from 'libsql';
import { open } from 'lmdb';
import type { Attempts } from './attempts.ts';

/** Databases that native add-ons open, out of sight of everything that guards files of Node.js. */
export const attempts: Attempts = {
  'better-sqlite3.Database': () => new Database('kept.db').exec("INSERT INTO notes VALUES ('changed')").name,
  'better-sqlite3 statement': () =>
    new Database(':memory:').exec("ATTACH DATABASE 'attached.db' AS other; CREATE TABLE other.a (b)").name,
  'libsql.Database': () => String(new LibsqlDatabase('new.db').exec('CREATE TABLE notes (text)')),
  'lmdb.open': () => open({ path: 'notes.mdb', noSubdir: true }).put('a', 'b'),
};
