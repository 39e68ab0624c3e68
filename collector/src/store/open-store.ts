import { resolve } from 'node:path';
import { ReenactError } from '@reenact/trace-model/reenact-error';
import { COMMIT_BACKLOG_BYTES_MAX, DISK_RESERVE_BYTES, METRICS_QUEUE_BYTES_MAX } from '../limits.ts';
import { WorkerLink } from '../threads/worker-link.ts';
import { DataDirectory } from './data-directory.ts';
import { giveUpSpare } from './disk-spare.ts';
import { LogStore, type StoreListeners } from './log-store.ts';
import type { OpeningStep, TellOpening } from './opening-step.ts';
import type { RebuiltIndex, Store } from './store.ts';
import { isFullDisk } from './store-error.ts';
import { StoreReader } from './store-reader.ts';
import { TextKeeper } from './text-keeper.ts';
import { migrateVersion1 } from './version1/migrate-version1.ts';
import { openingError } from './version1/opening-error.ts';
import type { WriterLink } from './worker/calls.ts';

/** How a store is opened. */
export interface StoreOptions extends StoreListeners {
  /** The command that has the data directory while it works, for which a collector that starts waits. */
  readonly heldFor?: string;
  /** Whether runs can be found by words of their content; where nothing is said, as it was before, and at first yes. */
  readonly keepsText?: boolean;
  /** Most bytes waiting for the next commit. */
  readonly commitBacklogBytesMax?: number;
  /** Bytes of the disk that appends leave free, so that what is stored can still be settled and deleted. */
  readonly diskReserveBytes?: number;
  /** Most bytes of metrics that wait for destinations. */
  readonly metricsQueueBytesMax?: number;
  /** Which part of their usual size the caches of its threads have; 1 where nothing is said. */
  readonly memoryShare?: number;
  /** Decoded pieces remembered for readers. */
  readonly readCacheBytesMax?: number;
  /** Told what was made again of an index that was lost. */
  readonly onRebuilt?: (rebuilt: RebuiltIndex) => void;
  /** Told how far an opening is that takes long. */
  readonly onOpening?: TellOpening;
  /** Breaks off the opening: what is done of it stays, and the next one goes on or begins again. Nothing to a store that is open. */
  readonly signal?: AbortSignal;
}

/**
 * Opens the store in a data directory, making it where needed, and takes over what an earlier version of Reenact kept
 * there. Throws ReenactError `store-failed` when it cannot be used or was told to end, `unsupported` when a newer version wrote it.
 */
export async function openStore(dataDirectory: string, options: StoreOptions = {}): Promise<Store> {
  try {
    return await openDirectory(dataDirectory, options);
  } catch (thrown) {
    // Nothing could be deleted, or read, for as long as it is closed.
    if (!isFullDisk(thrown) || !giveUpSpare(dataDirectory)) throw thrown;
    return openDirectory(dataDirectory, options);
  }
}

async function openDirectory(dataDirectory: string, options: StoreOptions): Promise<Store> {
  const { keepsText, memoryShare, readCacheBytesMax, onOpening: tell = () => undefined } = options;
  const { metricsQueueBytesMax = METRICS_QUEUE_BYTES_MAX, signal = new AbortController().signal } = options;
  const directory = new DataDirectory(resolve(dataDirectory), options.heldFor);
  let writer: WriterLink | undefined;
  let reader: StoreReader | undefined;
  // Like a kill, for which every step of an opening is made. What waits for the thread is told that it has ended.
  const breakOff = () => void writer?.stop();
  signal.addEventListener('abort', breakOff);
  try {
    signal.throwIfAborted();
    const { diskReserveBytes = DISK_RESERVE_BYTES, commitBacklogBytesMax = COMMIT_BACKLOG_BYTES_MAX } = options;
    const access = { dataDirectory: directory.path, ...(memoryShare === undefined ? {} : { memoryShare }) };
    const workerData = {
      ...access,
      diskReserveBytes,
      metricsQueueBytesMax,
      ...(keepsText === undefined ? {} : { keepsText }),
    };
    writer = new WorkerLink(new URL('./worker/', import.meta.url), 'writer-worker', workerData, {
      onStep: (step) => tell(step as OpeningStep),
    });
    await writer.started();
    const rebuilt = await writer.call('rebuilt', null);
    if (rebuilt !== null) options.onRebuilt?.(rebuilt);
    await migrateVersion1(directory, writer, tell, signal);
    signal.throwIfAborted();
    reader = new StoreReader(access, readCacheBytesMax);
    reader.reserveSearchMemory();
    const texts = new TextKeeper(access, writer, reader);
    return new LogStore(directory, { writer, reader, texts }, { ...options, access, commitBacklogBytesMax });
  } catch (thrown) {
    reader?.database.close();
    await writer?.stop();
    directory.release();
    throw signal.aborted ? brokenOffOpening(directory.path) : openingError(thrown, directory);
  } finally {
    signal.removeEventListener('abort', breakOff);
  }
}

function brokenOffOpening(where: string): ReenactError {
  const next = 'Open it again: it goes on where it was, or begins again.';
  return new ReenactError('store-failed', 'The opening of the store was broken off.', { where, next, retryable: true });
}
