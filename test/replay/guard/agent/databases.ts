import { backup, DatabaseSync } from 'node:sqlite';
import type { Attempts } from './attempts.ts';

const inMemory = new DatabaseSync(':memory:');
inMemory.exec("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('please attach database ''x.db'' as y')");

/** Every way in which SQLite gets at a file. */
export const attempts: Attempts = {
  'sqlite.DatabaseSync': () => new DatabaseSync('kept.db').exec("INSERT INTO notes VALUES ('changed')"),
  'sqlite.DatabaseSync yet to be made': () => String(new DatabaseSync('new.db').isOpen),
  'sqlite.DatabaseSync by URL': () => String(new DatabaseSync(new URL(`file://${process.cwd()}/new.db`)).isOpen),
  'sqlite.DatabaseSync of another class': () => {
    class OwnDatabase extends DatabaseSync {}
    return String(new OwnDatabase('new.db').isOpen);
  },
  'sqlite.DatabaseSync.exec to attach': () =>
    inMemory.exec("ATTACH DATABASE 'attached.db' AS other; CREATE TABLE other.a (b)"),
  'sqlite.DatabaseSync.exec after a comment': () =>
    inMemory.exec("SELECT 1; -- attach\n /* twice */ attach 'attached-too.db' AS more; CREATE TABLE more.a (b)"),
  'sqlite.DatabaseSync.exec after text that looks like a comment': () =>
    inMemory.exec('SELECT \'--\'; ATTACH "attached-quoted.db" AS quoted; CREATE TABLE quoted.a (b)'),
  'sqlite.DatabaseSync.prepare to attach': () =>
    String(inMemory.prepare('ATTACH ? AS prepared').run('attached-prepared.db').changes),
  'sqlite.DatabaseSync.exec to copy': () => inMemory.exec("VACUUM INTO 'copied.db'"),
  'sqlite.backup': () => backup(inMemory, 'backup.db'),
};
