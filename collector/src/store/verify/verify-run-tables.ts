import type { DatabaseSync } from 'node:sqlite';

/** Tables of which each row belongs to a run. */
const TABLES_OF_RUNS = ['facet', 'usage', 'observation'] as const;

function countOf(database: DatabaseSync, sql: string): number {
  return Number(database.prepare(sql).get()?.count);
}

function orphans(database: DatabaseSync): string[] {
  return TABLES_OF_RUNS.flatMap((table) => {
    const sql = `SELECT count(*) AS count FROM ${table} WHERE trace NOT IN (SELECT id FROM trace)`;
    const count = countOf(database, sql);
    return count === 0 ? [] : [`${count} rows of "${table}" are of runs that are gone`];
  });
}

function tallyProblems(database: DatabaseSync): string[] {
  const counted = `SELECT value AS name, count(*) AS count FROM facet WHERE facet = 'cold' GROUP BY value`;
  const kept = 'SELECT name, count FROM tally WHERE count <> 0';
  const apart = countOf(
    database,
    `SELECT (SELECT count(*) FROM (${counted} EXCEPT ${kept})) + (SELECT count(*) FROM (${kept} EXCEPT ${counted})) AS count`,
  );
  return apart === 0 ? [] : [`${apart} counts of cold cases are not what the runs say`];
}

/**
 * What cannot be in the tables that are made of summaries, in words: rows of runs that are gone, counts that do not add up. Making
 * the index again mends all of it.
 */
export function verifyRunTables(database: DatabaseSync): string[] {
  return [...orphans(database), ...tallyProblems(database)];
}
