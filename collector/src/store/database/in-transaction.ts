import type { DatabaseSync } from 'node:sqlite';

/** Runs `work` in one transaction; `isSynced` when its result must survive a power cut by itself. */
export function inTransaction<Result>(database: DatabaseSync, isSynced: boolean, work: () => Result): Result {
  if (isSynced) database.exec('PRAGMA synchronous = FULL');
  try {
    database.exec('BEGIN IMMEDIATE');
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (thrown) {
    if (database.isOpen && database.isTransaction) database.exec('ROLLBACK');
    throw thrown;
  } finally {
    if (isSynced) database.exec('PRAGMA synchronous = NORMAL');
  }
}
