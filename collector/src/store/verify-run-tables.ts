import type { DatabaseSync } from 'node:sqlite';

/** Tables of which each row belongs to a run. */
const TABLES_OF_RUNS = ['facet', 'usage', 'observation', 'content'] as const;

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

function searchProblems(database: DatabaseSync): string[] {
  // "search_docsize" is where FTS5 keeps one row for each run it knows words of.
  const apart = countOf(
    database,
    `SELECT (SELECT count(*) FROM search_docsize WHERE id NOT IN (SELECT trace FROM content))
       + (SELECT count(*) FROM content WHERE trace NOT IN (SELECT id FROM search_docsize)) AS count`,
  );
  const problems = apart === 0 ? [] : [`the words of ${apart} runs and their texts do not go together`];
  try {
    database.exec("INSERT INTO search (search) VALUES ('integrity-check')");
    return problems;
  } catch (thrown) {
    return [...problems, `the search table is damaged: ${thrown instanceof Error ? thrown.message : String(thrown)}`];
  }
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
 * What cannot be in the tables that are made of summaries, in words: rows of runs that are gone, counts that do not add up, words without
 * text. Making the index again mends all of it.
 */
export function verifyRunTables(database: DatabaseSync): string[] {
  return [...orphans(database), ...searchProblems(database), ...tallyProblems(database)];
}
