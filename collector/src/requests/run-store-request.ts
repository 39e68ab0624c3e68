import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isReenactError, ReenactError } from '@reenact/trace-model';
import { STORE_REQUEST_CHECK_MS, STORE_REQUEST_POLL_MS, STORE_REQUEST_TIMEOUT_MS } from '../limits.ts';
import { Summariser } from '../query/summaries/summariser.ts';
import { needStore } from '../store/data-directory.ts';
import { giveUpSpare } from '../store/disk-spare.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { DIRECTORY_IN_USE, isFullDisk, toStoreError } from '../store/store-error.ts';
import { writeInRequestRoom } from './request-room.ts';
import { performStoreRequest, type StoreOutcome, type StoreRequest } from './store-request.ts';
import {
  ANSWER_SUFFIX,
  PART_SUFFIX,
  REQUEST_SUFFIX,
  readAnswer,
  removeQuietly,
  requestDirectoryOf,
  type SentOutcome,
  TROUBLE_FILE,
} from './store-request-files.ts';

/** Leaves a request where whoever has the store can read it: the administrator asks, and the collector runs as a user of its own. */
function leaveRequest(dataDirectory: string, path: string, content: StoreRequest): void {
  const directory = requestDirectoryOf(dataDirectory);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  giveToOwner(dataDirectory, directory, 0o700);
  // What cannot be read here would be waited for in vain.
  readdirSync(directory);
  const part = `${path}${PART_SUFFIX}`;
  const text = JSON.stringify(content);
  try {
    writeFileSync(part, text, { mode: 0o600 });
  } catch (thrown) {
    if (!isFullDisk(thrown) || !writeInRequestRoom(dataDirectory, part, text)) throw thrown;
  }
  giveToOwner(dataDirectory, part, 0o600);
  renameSync(part, path);
}

/** Only an administrator can, and everybody else is the owner, or could not have come here. */
function giveToOwner(dataDirectory: string, path: string, mode: number): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dataDirectory);
  chownSync(path, uid, gid);
  chmodSync(path, mode);
}

/**
 * Does something with the store of a data directory: itself where no process uses it, else through the collector that
 * does. Throws what the store throws, and ReenactError `collector-unreachable` when that process does not answer. `timeoutMaxMs`: tests give less.
 */
export async function runStoreRequest(
  dataDirectory: string,
  request: StoreRequest,
  timeoutMaxMs = STORE_REQUEST_TIMEOUT_MS,
): Promise<StoreOutcome> {
  const directory = resolve(dataDirectory);
  needStore(directory);
  // What somebody asks for is mostly what makes room; a copy would only take it, and a preview is a question.
  if (request.type !== 'backup' && request.type !== 'preview') giveUpSpare(directory);
  const store = await openUnlessTaken(directory, request);
  return store === undefined ? askRunning(directory, whole(request), timeoutMaxMs) : performHere(store, request);
}

/** A path from here leads elsewhere from the folder that the collector was started in. */
function whole(request: StoreRequest): StoreRequest {
  return request.type === 'backup' ? { ...request, directory: resolve(request.directory) } : request;
}

/** What somebody has typed, for whoever waits for it. */
function commandOf(request: StoreRequest): string {
  if (request.type === 'keep' && request.reason === undefined) return 'reenact store release';
  return `reenact store ${request.type.startsWith('delete-') ? 'delete' : request.type}`;
}

/** What a collector began with that has ended. A trace may be found no more, and its bytes be there still. */
async function finishHere(store: Store, request: StoreRequest): Promise<StoreOutcome> {
  try {
    return await performHere(store, request);
  } catch (thrown) {
    if (request.type !== 'delete-trace' || !isReenactError(thrown) || thrown.code !== 'not-found') throw thrown;
    const again = await openStore(store.threadAccess.dataDirectory, { heldFor: commandOf(request) });
    try {
      return { deletedItems: await again.erase([]) };
    } finally {
      await again.close();
    }
  }
}

async function performHere(store: Store, request: StoreRequest): Promise<StoreOutcome> {
  const summariser = new Summariser(store);
  try {
    return await performStoreRequest({ store, summariser, destinations: [] }, request);
  } finally {
    await summariser.stop();
    await store.close();
  }
}

async function openUnlessTaken(directory: string, request: StoreRequest): Promise<Store | undefined> {
  try {
    return await openStore(directory, { heldFor: commandOf(request) });
  } catch (thrown) {
    if (isReenactError(thrown) && thrown.message === DIRECTORY_IN_USE) return undefined;
    throw thrown;
  }
}

/** Leaves the request to the process that has the store, and does it itself where that process ends without an answer. */
async function askRunning(dataDirectory: string, request: StoreRequest, timeoutMaxMs: number): Promise<StoreOutcome> {
  const directory = requestDirectoryOf(dataDirectory);
  const path = join(directory, `${randomUUID()}${REQUEST_SUFFIX}`);
  const answer = path.replace(REQUEST_SUFFIX, ANSWER_SUFFIX);
  const trouble = join(dataDirectory, TROUBLE_FILE);
  try {
    // One that is there again was written since.
    rmSync(trouble, { force: true });
    leaveRequest(dataDirectory, path, request);
  } catch (thrown) {
    throw toStoreError(thrown, directory);
  }
  const stepMs = STORE_REQUEST_POLL_MS / 4;
  // A copy takes as long as its disk, and to stop the collector breaks it off.
  const timeoutMs = request.type === 'backup' ? Number.POSITIVE_INFINITY : timeoutMaxMs;
  let inPlace: SentOutcome | undefined;
  for (let waitedMs = stepMs; waitedMs < timeoutMs; waitedMs += stepMs) {
    await sleep(stepMs);
    const isThere = existsSync(path);
    // One that is found where the request was is about to be renamed, unless it was there a step before.
    let sent = readAnswer(answer) ?? inPlace;
    inPlace = readAnswer(path);
    if (sent === undefined && !isThere) throw answerLost(directory);
    if (sent === undefined && existsSync(trouble)) throw notRead(path, readTrouble(trouble), directory);
    if (sent === undefined) {
      const store = waitedMs % STORE_REQUEST_CHECK_MS === 0 ? await openUnlessTaken(dataDirectory, request) : undefined;
      if (store === undefined) continue;
      // It may have answered last of all.
      sent = readAnswer(answer) ?? readAnswer(path);
      removeQuietly(path);
      if (sent === undefined) return { ...(await finishHere(store, request)), isContinued: true };
      await store.close();
    }
    for (const file of [answer, path]) removeQuietly(file);
    if (sent.error !== undefined) throw toError(sent.error);
    if (request.type === 'backup' && !existsSync(request.directory)) throw madeElsewhere(request.directory);
    return sent.outcome ?? { deletedItems: 0 };
  }
  removeQuietly(path);
  throw new ReenactError('collector-unreachable', 'The process that uses the data directory does not answer.', {
    where: directory,
    next: 'Stop it and run the command again.',
  });
}

/** Nobody may take for a backup what only the collector sees, and what may be gone with it. */
function madeElsewhere(where: string): ReenactError {
  return new ReenactError(
    'store-failed',
    'The collector has made the backup, and it is not here: it sees other folders.',
    {
      where,
      next: 'Name a place that both see: a volume of its container, or, where systemd gives it a /tmp of its own (PrivateTmp=), one in /var/lib/reenact.',
    },
  );
}

/** Why the collector cannot read requests; undefined where that is not known. */
function readTrouble(path: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as { message?: string }).message;
  } catch {
    return undefined;
  }
}

/** Takes the request back. */
function notRead(path: string, why: string | undefined, where: string): ReenactError {
  removeQuietly(path);
  const message = `The collector cannot read what it is asked for${why === undefined ? '.' : `: ${why}`}`;
  return new ReenactError('collector-unreachable', message, {
    where,
    next: 'See to the folder, or stop the collector and run the command again, which then does it itself.',
  });
}

function answerLost(where: string): ReenactError {
  return new ReenactError('collector-unreachable', 'The collector could not write its answer.', {
    where,
    next: 'Look at its log (`store request not answered`): the disk fails. What was asked for may have been done.',
  });
}

function toError({ code, message, where, next, retryable }: NonNullable<SentOutcome['error']>): ReenactError {
  return new ReenactError(code, message, {
    retryable,
    ...(where === undefined ? {} : { where }),
    ...(next === undefined ? {} : { next }),
  });
}
