import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { SIGNAL_NUMBERS } from '../database/schema.ts';

/** Which part of the bytes that may wait are let go of at once, so that not every request has to be made room for. */
const ROOM_SHARE = 0.1;

/** One request of metrics, as it came. */
export interface MetricsRow {
  readonly id: number;
  readonly format: 'protobuf' | 'json';
  readonly bytes: Uint8Array;
}

/**
 * Requests of metrics that wait for destinations. They are in no run, and in no log once it has settled: without a bound a destination that
 * is gone would take the disk. The oldest are let go of. Every method runs inside a transaction.
 */
export class MetricsQueue {
  private readonly bytesMax: number;
  private readonly insert: StatementSync;
  private readonly total: StatementSync;
  private readonly oldest: StatementSync;
  private readonly removeRow: StatementSync;
  private readonly removeEntries: StatementSync;
  /** At least what waits: deliveries make it less, and nobody tells. */
  private bytesAtMost = Number.POSITIVE_INFINITY;

  constructor(database: DatabaseSync, bytesMax: number) {
    this.bytesMax = bytesMax;
    this.insert = database.prepare(
      'INSERT INTO metrics_request (id, format, bytes) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.total = database.prepare('SELECT coalesce(sum(length(bytes)), 0) AS bytes FROM metrics_request');
    this.oldest = database.prepare('SELECT id, length(bytes) AS bytes FROM metrics_request ORDER BY id');
    this.removeRow = database.prepare('DELETE FROM metrics_request WHERE id = ?');
    this.removeEntries = database.prepare(`DELETE FROM queue WHERE item = ? AND signal = ${SIGNAL_NUMBERS.metrics}`);
  }

  /** What it thinks it holds may never have been written: a transaction was rolled back. */
  forget(): void {
    this.bytesAtMost = Number.POSITIVE_INFINITY;
  }

  /** Adds a request, whatever its size, and gives how many older ones it was too many for. */
  add({ id, format, bytes }: MetricsRow): number {
    this.insert.run(id, format === 'json' ? 1 : 0, bytes);
    this.bytesAtMost += bytes.length;
    if (this.bytesAtMost <= this.bytesMax) return 0;
    this.bytesAtMost = Number(this.total.get()?.bytes);
    return this.bytesAtMost <= this.bytesMax ? 0 : this.makeRoom(id);
  }

  private makeRoom(newest: number): number {
    const gone: number[] = [];
    for (const row of this.oldest.iterate()) {
      if (this.bytesAtMost <= this.bytesMax * (1 - ROOM_SHARE) || Number(row.id) === newest) break;
      gone.push(Number(row.id));
      this.bytesAtMost -= Number(row.bytes);
    }
    for (const id of gone) {
      this.removeEntries.run(id);
      this.removeRow.run(id);
    }
    return gone.length;
  }
}
