import { ReenactError } from '@reenact/trace-model/reenact-error';

/** What is told of a copy that failed. */
export function toBackupError(thrown: unknown, where: string, isFull = false): ReenactError {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  const message = isFull ? 'The disk of the backup is full.' : `The backup could not be written: ${reason}.`;
  return new ReenactError('store-failed', message, {
    where,
    next: 'Name a place where the user of the collector may write, on a disk with space for all of the data directory; what was written is removed.',
    cause: thrown,
  });
}
