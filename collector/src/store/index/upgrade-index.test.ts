import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { INDEX_FILE, SUMMARY_VERSION } from '../database/schema.ts';
import type { OpeningStep } from '../opening-step.ts';
import { indexLogBytes, openIndex } from './open-index.ts';

const TRACES = 12_000;
const SUMMARY_BYTES = 2_000;
let directory: string;

/** An index whose traces were all summarised by an earlier version. */
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reenact-upgrade-'));
  const database = openIndex(directory, true);
  database.exec(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${TRACES})
    INSERT INTO trace (id, tenant, trace_id, revision, changed_by, start_ns, received_ms, summary_revision, summary)
      SELECT n * 3, 't', CAST(printf('%016d', n) AS BLOB), 1, n * 3, n, n, 1, printf('%.*c', ${SUMMARY_BYTES}, 'x') FROM numbers;
    INSERT INTO observation SELECT id, randomblob(8), 't', randomblob(16), randomblob(16), 1, 'tool', 'look_up', 's', '{}'
      FROM trace, (SELECT 1 UNION SELECT 2 UNION SELECT 3);
    INSERT INTO facet (tenant, facet, value, trace) SELECT 't', 'agent', 'a', id FROM trace;
    INSERT INTO tally VALUES ('cold', 7);
    PRAGMA user_version = ${SUMMARY_VERSION - 1};
    PRAGMA wal_checkpoint(TRUNCATE);
  `);
  database.close();
});
afterEach(() => rmSync(directory, { recursive: true }));

function openIndexAsItIs(): DatabaseSync {
  return new DatabaseSync(join(directory, INDEX_FILE));
}

function count(database: DatabaseSync, sql: string): number {
  return Number(database.prepare(`SELECT count(*) AS count FROM ${sql}`).get()?.count);
}

it('takes little room beside the index while all its summaries go', () => {
  const database = openIndex(directory, true);
  expect(indexLogBytes(directory)).toBeLessThan(statSync(join(directory, INDEX_FILE)).size / 2);
  expect(count(database, 'trace WHERE summary_revision > 0 OR summary IS NOT NULL')).toBe(0);
  expect(['facet', 'observation', 'tally'].map((table) => count(database, table))).toEqual([0, 0, 0]);
  expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: SUMMARY_VERSION });
  database.close();
});

it('tells how far it is', () => {
  const steps: OpeningStep[] = [];
  openIndex(directory, true, 1, (step) => steps.push(step)).close();
  const shares = (named: string) => steps.flatMap(({ what, done, total }) => (what === named ? [done / total] : []));
  expect(shares('making indexes of runs')).toEqual([0, 1 / 4, 1 / 2, 3 / 4]);
  expect(shares('emptying the tables of summaries')).toEqual([0, 1 / 3, 2 / 3]);
  expect(shares('emptying summaries')).toEqual([0, 5_000 / TRACES, 10_000 / TRACES]);
});

it('keeps what is done where it ends early, and does the rest at the next start', () => {
  const plain = openIndexAsItIs();
  plain.exec(
    `CREATE TRIGGER ends BEFORE UPDATE ON trace WHEN old.id = ${TRACES * 3} BEGIN SELECT RAISE(ABORT, 'ended'); END`,
  );
  plain.close();
  expect(() => openIndex(directory, true)).toThrow('ended');
  const ended = openIndexAsItIs();
  const left = count(ended, 'trace WHERE summary IS NOT NULL');
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(TRACES / 2);
  // No version finds its own number, or counts beside which it would count again.
  expect(['facet', 'observation', 'tally'].map((table) => count(ended, table))).toEqual([0, 0, 0]);
  expect(ended.prepare('PRAGMA user_version').get()).toEqual({ user_version: 0 });
  ended.exec('DROP TRIGGER ends');
  ended.close();
  const database = openIndex(directory, true);
  expect(count(database, 'trace WHERE summary IS NOT NULL')).toBe(0);
  expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: SUMMARY_VERSION });
  database.close();
});
