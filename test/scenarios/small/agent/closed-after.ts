// Reads two ledgers in a run, and closes them when it is over.
import { DatabaseSync } from 'node:sqlite';
import Database from 'better-sqlite3';
import { agent, betterSqlite3Client, sqliteClient } from 'reenact';

const { FOLDER = '.' } = process.env;
const ledger = new (sqliteClient(DatabaseSync))(`${FOLDER}/ledger.db`);
const other = new (betterSqlite3Client(Database))(`${FOLDER}/other.db`);

const run = agent('reads', () => [ledger.prepare('SELECT 1 AS one').get(), other.prepare('SELECT 2 AS two').get()]);

await run();
const closed = [ledger.close(), other.close() === other];
process.stdout.write(`closed ${JSON.stringify(closed)}\n`);
