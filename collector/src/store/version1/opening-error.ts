import { ReenactError } from '@reenact/trace-model';
import type { DataDirectory } from '../data-directory.ts';
import { FORMAT_VERSION_READ } from '../database/schema.ts';
import { isFullDisk, toStoreError } from '../store-error.ts';

/** What kept a store from being opened. Of the first format nothing can be deleted for room before all is taken over. */
export function openingError(
  thrown: unknown,
  { path, version }: Pick<DataDirectory, 'path' | 'version'>,
): ReenactError {
  const error = toStoreError(thrown, path);
  if (version >= FORMAT_VERSION_READ || !isFullDisk(error)) return error;
  return new ReenactError(error.code, error.message, {
    where: path,
    next: 'Free up to twice as much as recordings.sqlite takes, or move the data directory to a larger disk: it is of the first format, which stays until all of it is taken over. Nothing acknowledged is lost.',
    retryable: true,
    cause: error,
  });
}
