import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { SIGNAL_NUMBERS } from '../database/schema.ts';

/** Takes entries out of the forwarders' queues; every method runs inside a transaction. */
export class QueueWriter {
  private readonly remove: StatementSync;
  private readonly dropMetrics: StatementSync;
  private readonly oldest: StatementSync;

  constructor(database: DatabaseSync) {
    this.remove = database.prepare('DELETE FROM queue WHERE id = ? RETURNING signal, item');
    this.dropMetrics = database.prepare(`
      DELETE FROM metrics_request WHERE id = ?
      AND NOT EXISTS (SELECT 1 FROM queue WHERE item = metrics_request.id)`);
    this.oldest = database.prepare('SELECT id FROM queue WHERE destination = ? ORDER BY id LIMIT ?');
  }

  /** Forgets the oldest entries of a destination, delivered or not, and gives how many. */
  drop(destination: string, entriesMax: number): number {
    const queueIds = this.oldest.all(destination, entriesMax).map(({ id }) => Number(id));
    this.settle(queueIds);
    return queueIds.length;
  }

  /** Forgets delivered entries. A metrics request goes with the last entry that names it. */
  settle(queueIds: readonly number[]): void {
    for (const queueId of queueIds) {
      const removed = this.remove.get(queueId);
      if (removed?.signal === SIGNAL_NUMBERS.metrics) this.dropMetrics.run(Number(removed.item));
    }
  }
}
