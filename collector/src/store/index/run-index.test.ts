import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { RunQuery } from '@reenact/trace-model/collector-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IndexState } from '../database/index-state.ts';
import { toStoreError } from '../store-error.ts';
import { openIndex } from './open-index.ts';
import { RunIndex } from './run-index.ts';

let directory: string;
let database: DatabaseSync;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reenact-run-index-'));
  database = openIndex(directory, false);
});
afterEach(() => {
  database.close();
  rmSync(directory, { recursive: true, force: true });
});

function addTrace(id: number, isSummarised: boolean): void {
  const traceId = Buffer.alloc(16);
  traceId.writeUInt32BE(id);
  const [revision, summary] = isSummarised ? [1, '{}'] : [0, null];
  database
    .prepare(
      `INSERT INTO trace (id, tenant, trace_id, revision, changed_by, start_ns, received_ms, summary_revision, summary)
       VALUES (?, 'mine', ?, 1, ?, ?, 0, ?, ?)`,
    )
    .run(id, traceId, id, id, revision, summary);
}

/** What SQLite does for each statement that is made while this runs. */
function plansOf(act: (watched: DatabaseSync) => void): string[] {
  const plans: string[] = [];
  const watched = new Proxy(database, {
    get(target, name) {
      if (name !== 'prepare') return Reflect.get(target, name, target);
      return (sql: string) => {
        const steps = target.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
        plans.push(steps.map(({ detail }) => String(detail)).join('; '));
        return target.prepare(sql);
      };
    },
  });
  act(watched);
  return plans;
}

it('says of a summary that is not as it was written how it is made again', () => {
  addTrace(1, true);
  database.exec(`UPDATE trace SET summary = '{"name":"a secret' || char(7) || '"}'`);
  const list = (): unknown => {
    try {
      return new RunIndex(database).list('mine', {}, 10);
    } catch (thrown) {
      return toStoreError(thrown, directory);
    }
  };
  expect(list()).toMatchObject({
    code: 'store-failed',
    message: expect.stringContaining('the summary of a run cannot be read'),
    next: expect.stringContaining('--rebuild-index'),
  });
  expect((list() as Error).message).not.toContain('secret');
});

describe('runs in the index', () => {
  it('are never all read, or sorted, before a walk has its first page', () => {
    const plans = plansOf((watched) => new RunIndex(watched).list('mine', {}, 10, 5));
    expect(plans.filter((plan) => plan === 'SCAN trace' || plan.includes('TEMP B-TREE'))).toEqual([]);
    expect(plans.filter((plan) => plan.includes('trace_stale_by_start'))).toHaveLength(1);
  });

  it('are held up by none that waits outside of the time that is asked for', () => {
    const [early, asked, late] = [1_000, 2_000, 3_000].map((time) => time * 1_000_000) as [number, number, number];
    addTrace(early, false);
    addTrace(asked, true);
    addTrace(late, false);
    const iso = (time: number): string => new Date(time / 1_000_000).toISOString();
    const list = (query: RunQuery) => new RunIndex(database).list('mine', query, 10, late);
    const within = { since: iso(asked), until: iso(late) };
    expect(list(within)).toEqual({ runs: [expect.anything()] });
    expect(list({ ...within, since: iso(early) })).toEqual({ runs: [expect.anything()], next: expect.any(String) });
    expect(list({ since: iso(asked) })).toEqual({ runs: [], next: expect.any(String) });
    expect(list({ until: iso(late + 1_000_000) })).toEqual({ runs: [], next: expect.any(String) });
  });

  it('have changed up to the last item that is read, also where that is deleted since', () => {
    const runs = new RunIndex(database);
    expect([runs.lastChange(), runs.lastSummary()]).toEqual([0, 0]);
    const state = new IndexState(database);
    state.writePosition({ segment: 1, offset: 0, sequence: 2, nextId: 8, link: Buffer.alloc(32) });
    addTrace(3, true);
    expect([runs.lastChange(), runs.lastSummary()]).toEqual([7, 7]);
    expect([state.nextSummary(7), state.nextSummary(7)]).toEqual([8, 9]);
    expect([runs.lastChange(), runs.lastSummary()]).toEqual([7, 9]);
  });

  it('are told in the order of their summaries without all being read, or sorted', () => {
    const plans = plansOf((watched) => new RunIndex(watched).summarised('mine', { replays: 'include' }, 5, 10));
    expect(plans.filter((plan) => plan === 'SCAN trace' || plan.includes('TEMP B-TREE'))).toEqual([]);
    expect(plans.filter((plan) => plan.includes('trace_by_summary_number'))).toHaveLength(1);
  });

  it('of a version that told them by their last item keep that as their place', () => {
    for (const id of [1, 2, 3]) addTrace(id, true);
    database.exec(`DROP INDEX trace_by_summary_number; ALTER TABLE trace DROP COLUMN summary_number;
      CREATE INDEX trace_by_change ON trace (tenant, changed_by) WHERE summary IS NOT NULL`);
    database.close();
    database = openIndex(directory, false);
    const told = (after: number) =>
      new RunIndex(database).summarised('mine', {}, after, 10).map(({ number }) => number);
    expect([told(0), told(2)]).toEqual([[1, 2, 3], [3]]);
  });

  it('of an earlier version are summarised again, and found in the order of a list as those that wait', () => {
    for (const id of [1, 2, 3]) addTrace(id, true);
    database.exec('DROP INDEX trace_stale_by_start; PRAGMA user_version = 12');
    database.close();
    database = openIndex(directory, false);
    const runs = new RunIndex(database);
    expect(runs.stale(10, 0)).toHaveLength(3);
    database.exec("UPDATE trace SET summary_revision = 1, summary = '{}' WHERE id <> 2");
    expect(runs.list('mine', {}, 10, 3)).toMatchObject({ runs: [{}], next: expect.any(String) });
    expect(runs.list('mine', {}, 10, 1).runs).toHaveLength(2);
  });
});
