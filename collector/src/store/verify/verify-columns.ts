import { DatabaseSync } from 'node:sqlite';
import { CREATE_TABLES, SUMMARY_VERSION } from '../database/schema.ts';
import { upgradeIndex } from '../index/upgrade-index.ts';

/** The columns of all tables of a database, as `table.column`. */
function columnsOf(database: DatabaseSync): string[] {
  const select = `
    SELECT tables.name || '.' || columns.name AS name
    FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'`;
  return database
    .prepare(select)
    .all()
    .map(({ name }) => String(name));
}

function expectedColumns(): string[] {
  const database = new DatabaseSync(':memory:');
  try {
    database.exec(`${CREATE_TABLES} PRAGMA user_version = ${SUMMARY_VERSION}`);
    upgradeIndex(database, undefined);
    return columnsOf(database);
  } finally {
    database.close();
  }
}

/** The columns that an index lacks of those that every index has, in words: damage to a name shows nowhere until somebody asks for that column. */
export function verifyColumns(database: DatabaseSync): string[] {
  const columns = new Set(columnsOf(database));
  return expectedColumns().flatMap((name) => (columns.has(name) ? [] : [`it has no column "${name}"`]));
}
