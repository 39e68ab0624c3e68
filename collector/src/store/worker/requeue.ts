import type { DatabaseSync } from 'node:sqlite';
import type { Floors } from './queue-floors.ts';

/** Items of one frame that the log still holds, and where they were to be sent on to. */
export interface QueuedFrame {
  readonly firstId: number;
  readonly lastId: number;
  readonly destinations: readonly string[];
  readonly passed: readonly string[];
}

/** Queues everything again that came from a floor on, of what the index was filled with from packs. Which way it had come is no longer known. */
export function requeueFromFloors(database: DatabaseSync, floors: Floors): void {
  const insert = database.prepare(
    'INSERT INTO queue (destination, signal, item) SELECT ?, signal, id FROM item WHERE id >= ?',
  );
  for (const [destination, floor] of floors) insert.run(destination, floor);
}

/** Queues again what a settlement that was not finished has left in the log and in a pack: reading the log, it counts as known. */
export function requeueFrames(database: DatabaseSync, frames: readonly QueuedFrame[]): void {
  const insert = database.prepare(`
    INSERT INTO queue (destination, signal, item, passed)
    SELECT ?, signal, id, ? FROM item WHERE id BETWEEN ? AND ? AND block <> 0
    AND NOT EXISTS (SELECT 1 FROM queue WHERE queue.item = item.id AND queue.destination = ?)`);
  for (const { firstId, lastId, destinations, passed } of frames)
    for (const destination of destinations) insert.run(destination, passed.join(','), firstId, lastId, destination);
}

/** Queues are read in the order of their rows, and begin with the oldest item. */
export function sortQueue(database: DatabaseSync): void {
  database.exec(`
    CREATE TEMP TABLE sorted AS SELECT destination, signal, item, passed, queued_ms FROM queue;
    DELETE FROM queue;
    INSERT INTO queue (destination, signal, item, passed, queued_ms)
      SELECT destination, signal, item, passed, queued_ms FROM sorted ORDER BY item, destination;
    DROP TABLE sorted`);
}

/** How much is queued for each destination. */
export function countQueued(database: DatabaseSync): Record<string, number> {
  const rows = database.prepare('SELECT destination, count(*) AS items FROM queue GROUP BY destination').all();
  return Object.fromEntries(rows.map(({ destination, items }) => [String(destination), Number(items)]));
}
