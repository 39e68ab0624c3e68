import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openStore } from '@reenact/collector';
import { SPAN_BATCH_ITEMS, SpanIndex } from '@reenact/collector/testing';
import { seededDice } from './agent-conversations.ts';
import { at99Of, type BenchResult, type BenchSize, medianOf, timed, timedWork } from './bench-result.ts';

const SPANS_PER_TRACE = 25;
const GOAL_MS = 2;

/**
 * Fills the index with rows that lead nowhere; ids are a bijection of the row number, so they can be asked for. Of the last ones as many are not entered by
 * their span id as there can be, which every look-up has to read through.
 */
function fillIndex(path: string, rows: number): void {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000');
  database.function('span_of', { deterministic: true }, (row) => spanBytes(Number(row)));
  for (let from = 0; from < rows; from += 500_000) {
    const count = Math.min(500_000, rows - from);
    database.exec(`
      BEGIN;
      WITH RECURSIVE series (row) AS (SELECT ${from + 1} UNION ALL SELECT row + 1 FROM series WHERE row < ${from + count})
      INSERT INTO item SELECT row, row / ${SPANS_PER_TRACE} + 1, 0, span_of(row), randomblob(16), row, 4, 0 FROM series;
      COMMIT`);
    enterSpans(database, Math.min(from + count, rows - SPAN_BATCH_ITEMS + 1));
  }
  database.exec(`
    BEGIN;
    WITH RECURSIVE series (row) AS (SELECT 1 UNION ALL SELECT row + 1 FROM series WHERE row <= ${rows / SPANS_PER_TRACE})
    INSERT INTO trace (id, tenant, trace_id, revision, changed_by, start_ns, received_ms, summary_revision)
    SELECT row, 'default', randomblob(16), 1, row, row, row, 1 FROM series;
    COMMIT;
    PRAGMA wal_checkpoint(TRUNCATE)`);
  database.close();
}

/** Enters the spans of all rows up to this one, as the writer does after a batch of them. */
function enterSpans(database: DatabaseSync, lastRow: number): void {
  database.exec('BEGIN');
  new SpanIndex(database, 1).enterDue(lastRow);
  database.exec('COMMIT');
}

/** Spread over the whole key space, as real ids are. */
function spanBytes(row: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(Math.imul(row, 2_654_435_761) >>> 0, 0);
  bytes.writeUInt32LE(row, 4);
  return bytes;
}

/** How fast any span id leads to its trace among ten million. */
export async function collectorStoreLookup({ isSmoke }: BenchSize): Promise<BenchResult> {
  const rows = isSmoke ? 20_000 : 10_000_000;
  const lookups = isSmoke ? 100 : 20_000;
  const directory = mkdtempSync(join(tmpdir(), 'reenact-bench-lookup-'));
  try {
    await (await openStore(directory)).close();
    fillIndex(join(directory, 'index.sqlite'), rows);
    const store = await openStore(directory);
    const dice = seededDice(3);
    const found: number[] = [];
    const processor: number[] = [];
    const missed: number[] = [];
    for (let index = 0; index < lookups; index += 1) {
      const spanId = spanBytes(1 + dice(rows - 1)).toString('hex');
      const { value, ms, processorMs } = await timedWork(() => store.findTrace('default', spanId));
      if (value !== undefined) found.push(ms);
      processor.push(processorMs);
      missed.push((await timed(() => store.findTrace('default', spanBytes(rows + 1 + index).toString('hex')))).ms);
    }
    await store.close();
    const at99 = at99Of(found);
    return {
      name: 'lookup',
      what: `${lookups} random span ids among ${rows} index rows, ${found.length} found, and as many that are not there`,
      figures: [
        { name: 'found, median', value: medianOf(found), unit: 'ms' },
        {
          name: 'found, 99th percentile',
          value: at99,
          unit: 'ms',
          goal: { words: `below ${GOAL_MS} ms`, isMet: at99 < GOAL_MS && found.length === lookups },
        },
        { name: 'found, 99th percentile of processor time', value: at99Of(processor), unit: 'ms' },
        { name: 'not there, median', value: medianOf(missed), unit: 'ms' },
      ],
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
