import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { INDEX_FILE } from '../database/schema.ts';

/**
 * The requests of metrics that an earlier migration, which was broken off, has queued: nothing is delivered before the store is open, so they all wait
 * still. They have no id by which a retry would be known.
 */
export class MovedMetrics {
  private readonly counts = new Map<string, number>();

  constructor(dataDirectory: string) {
    const database = new DatabaseSync(join(dataDirectory, INDEX_FILE), { readOnly: true });
    try {
      for (const { bytes } of database.prepare('SELECT bytes FROM metrics_request').iterate()) {
        const digest = digestOf(bytes);
        this.counts.set(digest, (this.counts.get(digest) ?? 0) + 1);
      }
    } finally {
      database.close();
    }
  }

  /** Whether there is one with these bytes that no earlier call was answered with. */
  take(bytes: unknown): boolean {
    if (this.counts.size === 0) return false;
    const digest = digestOf(bytes);
    const count = this.counts.get(digest) ?? 0;
    if (count > 0) this.counts.set(digest, count - 1);
    return count > 0;
  }
}

function digestOf(bytes: unknown): string {
  return createHash('sha256')
    .update(bytes instanceof Uint8Array ? bytes : new Uint8Array(0))
    .digest('hex');
}
