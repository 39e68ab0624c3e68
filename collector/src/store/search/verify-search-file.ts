import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { INDEX_FILE } from '../database/schema.ts';
import { searchPathOf } from './open-search-file.ts';
import { SearchFile } from './search-file.ts';
import { verifyWords } from './verify-words.ts';

/** What to count, and what it means where it is not 0. */
const COUNTS: readonly (readonly [from: string, what: string])[] = [
  ['content WHERE trace NOT IN (SELECT id FROM known.trace)', 'runs that are gone have texts'],
  [
    // A summary is entered only after its texts are durable.
    `known.trace LEFT JOIN content ON content.trace = trace.id
       WHERE summary_revision > 0 AND ifnull(content.revision, 0) < summary_revision`,
    'runs have no texts, or older ones than the index says',
  ],
  [
    'known.trace JOIN content ON content.trace = trace.id WHERE content.revision > trace.revision',
    'runs have newer texts than there can be',
  ],
  [
    // "search_docsize" is where FTS5 keeps one row for each run it knows words of.
    `(SELECT id FROM search_docsize EXCEPT SELECT trace FROM content WHERE texts IS NOT NULL)`,
    'runs have words and no texts',
  ],
  [
    `(SELECT trace FROM content WHERE texts IS NOT NULL EXCEPT SELECT id FROM search_docsize)`,
    'runs have texts and no words',
  ],
];

function countOf(database: DatabaseSync, from: string): number {
  return Number(database.prepare(`SELECT count(*) AS count FROM ${from}`).get()?.count);
}

/**
 * What is wrong with the bytes of the search file as it lies there, in words; undefined where nothing is, or where there is none. To be asked
 * before the store is opened: a file that cannot be read is then made again, and that it was damaged is a sign of its disk.
 */
export function damageOfSearchFile(dataDirectory: string): string | undefined {
  const path = searchPathOf(dataDirectory);
  if (!existsSync(path)) return undefined;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    const check = String(database.prepare('PRAGMA quick_check(1)').get()?.quick_check);
    return check === 'ok' ? undefined : check;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  } finally {
    database?.close();
  }
}

/**
 * What cannot be in the search file of a data directory that nobody else uses, in words, after texts that were still to leave it were taken out.
 * Making the index again mends all of it.
 */
export function verifySearchFile(index: DatabaseSync, dataDirectory: string): string[] {
  let file: SearchFile | undefined;
  try {
    file = new SearchFile(dataDirectory);
    const { database } = file;
    const erased = index.prepare('SELECT trace FROM text_erasure').all();
    for (let left = erased.map(({ trace }) => Number(trace)); left.length > 0; ) left = left.slice(file.forget(left));
    index.exec('DELETE FROM text_erasure');
    database.prepare('ATTACH ? AS known').run(join(dataDirectory, INDEX_FILE));
    const problems = COUNTS.flatMap(([from, what]) => {
      const count = countOf(database, from);
      return count === 0 ? [] : [`${count} ${what}`];
    });
    database.exec("INSERT INTO search (search) VALUES ('integrity-check')");
    return [...problems, ...verifyWords(database)];
  } catch (thrown) {
    return [`the search file is damaged: ${thrown instanceof Error ? thrown.message : String(thrown)}`];
  } finally {
    file?.close();
  }
}
