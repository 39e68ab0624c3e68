import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { IndexState } from '../database/index-state.ts';
import { SPAN_BATCH_ITEMS } from '../limits.ts';

/** Ids of items whose spans share a part: some three megabytes of them. Part of the form of the index, in which entries are found by it again. */
export const SPAN_PART_ITEMS = 2 ** 17;

/** In `state`: spans with ids up to this one are entered. */
const ENTERED = 'entered_span';

/**
 * What leads a span id to its items. Span ids are random, so that each one entered by itself would dirty a page of its own: they are entered in their
 * order, many at a time, into the part of their item id, which stays small enough that the next ones find most of its pages in the cache.
 */
export const CREATE_SPAN_TABLE = `
CREATE TABLE IF NOT EXISTS item_span (
  part INTEGER NOT NULL,
  span_id BLOB NOT NULL,
  id INTEGER NOT NULL,
  PRIMARY KEY (part, span_id, id)
) WITHOUT ROWID;
`;

/** The ids of all items of one span, whose id is the one parameter: those that are entered, and those that are not yet. */
export const ITEMS_OF_SPAN = `
WITH RECURSIVE
  sought (span_id) AS (VALUES (?)),
  parts (part) AS (
    SELECT max(part) FROM item_span
    UNION ALL
    SELECT (SELECT max(item_span.part) FROM item_span WHERE item_span.part < parts.part) FROM parts WHERE parts.part IS NOT NULL
  )
SELECT item_span.id FROM parts CROSS JOIN item_span
  ON item_span.part = parts.part AND item_span.span_id = (SELECT span_id FROM sought)
UNION ALL
SELECT item.id FROM item
  WHERE item.id > coalesce((SELECT value FROM state WHERE name = '${ENTERED}'), 0)
    AND item.signal = 0 AND item.span_id = (SELECT span_id FROM sought)`;

function countOf(database: DatabaseSync, sql: string): number {
  return Number(database.prepare(sql).get()?.count);
}

/** What a look-up by span id would miss, and entries that it would find no span of, in words. Making the index again mends both. */
export function verifySpanIndex(database: DatabaseSync): string[] {
  const entered = new IndexState(database).read(ENTERED);
  const lost = `SELECT count(*) AS count FROM item WHERE signal = 0 AND id <= ${entered} AND NOT EXISTS (
    SELECT 1 FROM item_span WHERE part = item.id / ${SPAN_PART_ITEMS} AND span_id = item.span_id AND item_span.id = item.id)`;
  const stray = `SELECT count(*) AS count FROM item_span WHERE id > ${entered} OR part <> id / ${SPAN_PART_ITEMS} OR NOT EXISTS (
    SELECT 1 FROM item WHERE item.id = item_span.id AND item.span_id = item_span.span_id AND item.signal = 0)`;
  const problems = [
    [countOf(database, lost), 'spans are not found by their id'],
    [countOf(database, stray), 'entries by span id are of spans that are gone'],
  ] as const;
  return problems.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]));
}

/** Enters span ids; every method runs inside the transaction that needs it, so that nothing is entered that a rollback takes back. */
export class SpanIndex {
  private readonly state: IndexState;
  private readonly batchItems: number;
  private readonly enterPart: StatementSync;
  private readonly removeTrace: StatementSync;
  private entered: number | undefined;

  constructor(database: DatabaseSync, batchItems: number = SPAN_BATCH_ITEMS) {
    this.state = new IndexState(database);
    this.batchItems = batchItems;
    this.enterPart = database.prepare(`
      INSERT OR IGNORE INTO item_span SELECT ?, span_id, id FROM item WHERE id > ? AND id <= ? AND signal = 0 ORDER BY span_id, id`);
    this.removeTrace = database.prepare(`
      DELETE FROM item_span WHERE (part, span_id, id) IN (
        SELECT id / ${SPAN_PART_ITEMS}, span_id, id FROM item WHERE trace = ? AND id < ? AND signal = 0)`);
  }

  /** Forgets what a transaction that was rolled back had entered. */
  forget(): void {
    this.entered = undefined;
  }

  /** Enters what waits, once it is enough. `lastId` is the id of the last item there is. */
  enterDue(lastId: number): void {
    this.entered ??= this.state.read(ENTERED);
    if (lastId - this.entered >= this.batchItems) this.enter(this.entered, lastId);
  }

  /** Takes out the spans of a trace with ids below `beforeId`; to be done while their items are still there. */
  remove(trace: number, beforeId: number): void {
    this.removeTrace.run(trace, beforeId);
  }

  private enter(entered: number, lastId: number): void {
    for (let part = partOf(entered + 1); part <= partOf(lastId); part += 1) {
      const from = Math.max(entered, part * SPAN_PART_ITEMS - 1);
      this.enterPart.run(part, from, Math.min(lastId, (part + 1) * SPAN_PART_ITEMS - 1));
    }
    this.state.write(ENTERED, lastId);
    this.entered = lastId;
  }
}

function partOf(id: number): number {
  return Math.floor(id / SPAN_PART_ITEMS);
}
