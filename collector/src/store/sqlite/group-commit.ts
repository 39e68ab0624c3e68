import type { DatabaseSync } from 'node:sqlite';
import { ReenactError } from '@reenact/trace-model';
import { COMMIT_BACKLOG_BYTES_MAX } from '../../limits.ts';
import { toStoreError } from './store-error.ts';

interface PendingWrite {
  readonly bytes: number;
  /** Runs inside the transaction; what it returns is handed over once the transaction is durable. */
  readonly write: () => () => void;
  readonly fail: (thrown: unknown) => void;
}

/**
 * Gathers writes that arrive in the same turn of the event loop into one transaction, so that they share one sync to
 * disk. Each write's promise settles only after that.
 */
export class GroupCommit {
  commits = 0;
  appends = 0;
  lastCommitMs = 0;
  private readonly database: DatabaseSync;
  private readonly directory: string;
  private readonly onRollback: () => void;
  private pending: PendingWrite[] = [];
  private pendingBytes = 0;

  constructor(database: DatabaseSync, directory: string, onRollback: () => void) {
    this.database = database;
    this.directory = directory;
    this.onRollback = onRollback;
  }

  /** Runs `write` in the next transaction. Rejects with `store-busy` when too much waits, `store-failed` otherwise. */
  run<Result>(bytes: number, write: () => Result): Promise<Result> {
    if (this.pendingBytes > 0 && this.pendingBytes + bytes > COMMIT_BACKLOG_BYTES_MAX) {
      const next = 'Retry; exporters do so by themselves.';
      return Promise.reject(new ReenactError('store-busy', 'Too much waits to be written.', { next, retryable: true }));
    }
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const settleLater = () => {
      const result = write();
      return () => resolve(result);
    };
    if (this.pending.length === 0) setImmediate(() => this.flush());
    this.pending.push({ bytes, write: settleLater, fail: reject });
    this.pendingBytes += bytes;
    return promise;
  }

  /** Commits what waits now. */
  flush(): void {
    const batch = this.pending;
    this.pending = [];
    this.pendingBytes = 0;
    if (batch.length === 0 || this.commit(batch)) return;
    // One write must not take its neighbours down: each is tried again alone, and fails alone.
    for (const write of batch) this.commit([write], write.fail);
  }

  private commit(batch: readonly PendingWrite[], fail?: (thrown: unknown) => void): boolean {
    const startedAt = performance.now();
    try {
      this.database.exec('BEGIN IMMEDIATE');
      const settle = batch.map(({ write }) => write());
      this.database.exec('COMMIT');
      this.commits += 1;
      this.appends += batch.length;
      this.lastCommitMs = performance.now() - startedAt;
      for (const done of settle) done();
      return true;
    } catch (thrown) {
      if (this.database.isOpen && this.database.isTransaction) this.database.exec('ROLLBACK');
      this.onRollback();
      fail?.(toStoreError(thrown, this.directory));
      return false;
    }
  }
}
