// A program that opens a ledger, does its work, notes that in the ledger and closes it.
import { DatabaseSync } from 'node:sqlite';
import { agent, sqliteClient } from 'reenact';

const Database = sqliteClient(DatabaseSync);
const ledger = new Database(process.env.LEDGER ?? '');
ledger.exec('CREATE TABLE IF NOT EXISTS done (what TEXT)');
const count = ledger.prepare('SELECT count(*) AS count FROM done');
const work = agent('bookkeeper', async () => count.get());
console.log(JSON.stringify(await work()));
ledger.prepare('INSERT INTO done VALUES (?)').run(process.env.NOTE ?? 'the books');
ledger.close();
