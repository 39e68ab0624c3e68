import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isReenactError, ReenactError, toReenactError } from '@reenact/trace-model';
import { z } from 'zod';
import { type DeletedUser, deleteUser } from './delete-user.ts';
import { STORE_REQUEST_CHECK_MS, STORE_REQUEST_POLL_MS, STORE_REQUEST_TIMEOUT_MS } from './limits.ts';
import type { Log } from './log.ts';
import { resolveTrace } from './query/resolve-trace.ts';
import { Summariser } from './query/summariser.ts';
import { giveUpSpare } from './store/disk-spare.ts';
import { openStore } from './store/log-store.ts';
import type { Store } from './store/store.ts';
import { toStoreError } from './store/store-error.ts';

const requestSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('backup'), directory: z.string().min(1) }),
  z.strictObject({ type: z.literal('delete-trace'), tenant: z.string(), id: z.string() }),
  z.strictObject({ type: z.literal('delete-user'), tenant: z.string(), user: z.string().min(1) }),
  z.strictObject({ type: z.literal('delete-tenant'), tenant: z.string() }),
  z.strictObject({ type: z.literal('keep'), tenant: z.string(), id: z.string(), reason: z.string().optional() }),
  z.strictObject({ type: z.literal('drop-queue'), destination: z.string().min(1) }),
  z.strictObject({ type: z.literal('settle') }),
]);

/** Something to be done with a store, by the collector that has it or, where none runs, by the caller itself. */
export type StoreRequest = z.infer<typeof requestSchema>;

/** What came of it. */
export interface StoreOutcome extends Pick<DeletedUser, 'unreadRuns'> {
  /** Spans and log records that were deleted; 0 for what deletes nothing. */
  readonly deletedItems: number;
  /** Whether a collector that had begun with it ended before it was done: what that deleted is not counted. */
  readonly isContinued?: true;
  /** Entries of a queue that was dropped; what they name stays. */
  readonly droppedEntries?: number;
}

interface SentOutcome {
  readonly outcome?: StoreOutcome;
  readonly error?: Pick<ReenactError, 'code' | 'message' | 'where' | 'next' | 'retryable'>;
}

const REQUEST_SUFFIX = '.request.json';
const ANSWER_SUFFIX = '.answer.json';
/** Behind the name of a request that is still being written. */
const PART_SUFFIX = '.part';

/** Beside the folder of requests: what keeps the collector from reading that. */
const TROUBLE_FILE = 'requests-not-read.json';

function requestDirectoryOf(dataDirectory: string): string {
  return join(dataDirectory, 'requests');
}

/** What requests are done with. */
export interface StoreRequestSources {
  readonly store: Store;
  readonly summariser: Summariser;
  /** Whose queues are in use. */
  readonly destinations: readonly string[];
}

async function dropQueue({ store, destinations }: StoreRequestSources, destination: string): Promise<StoreOutcome> {
  if (destinations.includes(destination)) {
    throw new ReenactError('bad-argument', 'What is queued for this destination is still being sent.', {
      where: destination,
      next: 'Take it out of "forward" in the configuration first, and have the collector read it (SIGHUP).',
    });
  }
  const queued = [...(await store.queueDepths()).keys()];
  if (!queued.includes(destination)) {
    throw new ReenactError('not-found', 'Nothing is queued for this destination.', {
      where: destination,
      next:
        queued.length === 0
          ? 'Nothing is queued at all.'
          : `Name one of those that have a queue: ${queued.join(', ')}.`,
    });
  }
  return { deletedItems: 0, droppedEntries: await store.dropQueue(destination) };
}

/** Who is told that a run is kept relies upon it, also where it is another tenant's. */
async function needStored(store: Store, tenant: string, traceId: string): Promise<void> {
  if ((await store.listSpans(tenant, traceId)).length > 0 || (await store.readLogs(tenant, traceId)).length > 0) return;
  throw new ReenactError('not-found', `Nothing of that run is stored for the tenant ${tenant}.`, {
    where: traceId,
    next: 'List what is here with `reenact runs`, and name the tenant with --tenant.',
  });
}

async function perform(
  sources: StoreRequestSources,
  request: StoreRequest,
  signal?: AbortSignal,
): Promise<StoreOutcome> {
  const { store } = sources;
  switch (request.type) {
    case 'backup':
      await store.backup(request.directory);
      return { deletedItems: 0 };
    case 'delete-trace': {
      const traceId = await resolveTrace(store, request);
      return { deletedItems: await store.erase([[request.tenant, traceId]], signal) };
    }
    case 'delete-user':
      return deleteUser(sources, request, signal);
    case 'delete-tenant':
      return { deletedItems: await store.eraseTenant(request.tenant, signal) };
    case 'keep': {
      const traceId = await resolveTrace(store, request);
      await needStored(store, request.tenant, traceId);
      await store.keepRun(request.tenant, traceId, request.reason);
      return { deletedItems: 0 };
    }
    case 'drop-queue':
      return dropQueue(sources, request.destination);
    case 'settle':
      await store.settle();
      return { deletedItems: 0 };
  }
}

/**
 * Serves requests that another process of the same machine leaves as files in the data directory: whoever may write
 * there may do anything to the store anyway, so no other permission is asked for.
 */
export class StoreRequests {
  private readonly sources: StoreRequestSources;
  private readonly log: Log;
  private readonly directory: string;
  private readonly troubleFile: string;
  private readonly readDirectory: (path: string) => string[];
  private readonly timer: NodeJS.Timeout;
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private isBusy = false;
  private isUnreadable = false;
  /** Requests whose answer could not be written. */
  private readonly stuck = new Set<string>();

  /** `readDirectory`: tests give one that fails. */
  constructor(
    dataDirectory: string,
    sources: StoreRequestSources,
    log: Log,
    readDirectory: (path: string) => string[] = readdirSync,
  ) {
    this.sources = sources;
    this.log = log;
    this.readDirectory = readDirectory;
    this.directory = requestDirectoryOf(dataDirectory);
    this.troubleFile = join(dataDirectory, TROUBLE_FILE);
    removeLeftOver(this.directory);
    this.timer = setInterval(() => this.look(), STORE_REQUEST_POLL_MS);
    this.timer.unref();
  }

  /** Ends after the request in work; a deletion behind the step in work, for whoever asked to go on with, or the next start. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await this.running;
  }

  private look(): void {
    if (this.isBusy) return;
    const names = this.list().filter((candidate) => candidate.endsWith(REQUEST_SUFFIX) && !this.stuck.has(candidate));
    const [first] = names;
    if (first === undefined) return;
    const isDeleting = (name: string) => isDeletion(join(this.directory, name));
    const together = isDeleting(first) ? names.filter(isDeleting) : [first];
    this.isBusy = true;
    this.running = Promise.all(together.map((name) => this.serve(name))).then(() => {
      this.isBusy = false;
    });
  }

  private list(): string[] {
    try {
      const names = this.readDirectory(this.directory);
      if (this.isUnreadable) removeQuietly(this.troubleFile);
      this.isUnreadable = false;
      return names;
    } catch (thrown) {
      this.tellUnreadable(thrown);
      return [];
    }
  }

  /**
   * To the log once, until it can be read again; and to whoever asks, who would wait in vain. A directory that is not there is made by the
   * first who asks.
   */
  private tellUnreadable(thrown: unknown): void {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return;
    const { message, where = this.directory } = toStoreError(thrown, this.directory);
    const next = 'Make it readable for the user of the collector: nothing that `reenact store` asks for is done.';
    if (!this.isUnreadable) this.log.error('store requests not read', { message, where, next });
    this.isUnreadable = true;
    if (!existsSync(this.troubleFile)) leaveQuietly(this.troubleFile, { code: 'store-failed', message, where, next });
  }

  /** Never rejects: whatever the disk does, the collector goes on. */
  private async serve(name: string): Promise<void> {
    const path = join(this.directory, name);
    const sent = await this.answer(path);
    if (sent === undefined) return;
    try {
      answerInPlace(path, sent);
    } catch (thrown) {
      // Not done a second time. Whoever asked finds the answer in the file of the request, or that this is gone.
      this.stuck.add(name);
      if (readAnswer(path) === undefined) removeQuietly(path);
      const { message, where = this.directory, next = '' } = toStoreError(thrown, this.directory);
      this.log.error('store request not answered', { message, where, next });
    }
  }

  /** Nothing of what was broken off: the request stays where it is. */
  private async answer(path: string): Promise<SentOutcome | undefined> {
    try {
      const request = requestSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
      const outcome = await perform(this.sources, request, this.stopping.signal);
      const tenant = 'tenant' in request ? { tenant: request.tenant } : {};
      const { unreadRuns, ...counts } = outcome;
      const unread = unreadRuns === undefined ? {} : { unreadRuns: unreadRuns.length };
      this.log.info('store request done', { type: request.type, ...tenant, ...counts, ...unread });
      return { outcome };
    } catch (thrown) {
      const { code, message, where, next, retryable } = toReenactError(thrown);
      if (this.stopping.signal.aborted && retryable) return undefined;
      this.log.warn('store request refused', { code, message, where: where ?? '' });
      return { error: { code, message, where, next, retryable } };
    }
  }
}

/** Removes what a command has left that was killed while it asked, or before it read its answer: nobody waits for it any more. */
function removeLeftOver(directory: string): void {
  const endMs = Date.now() - STORE_REQUEST_TIMEOUT_MS;
  try {
    const names = readdirSync(directory).filter((name) => name.endsWith(PART_SUFFIX) || name.endsWith(ANSWER_SUFFIX));
    for (const path of names.map((name) => join(directory, name))) {
      if (statSync(path).mtimeMs < endMs) removeQuietly(path);
    }
  } catch {
    // Nobody has asked yet, or what cannot be read is told when it is looked for requests.
  }
}

/** Those that wait are done together: what it takes to have bytes leave the disk is hardly more for many runs than for one. */
function isDeletion(path: string): boolean {
  try {
    return requestSchema.parse(JSON.parse(readFileSync(path, 'utf8'))).type.startsWith('delete-');
  } catch {
    // Whoever asked is told when it is read to be done.
    return false;
  }
}

/** Turns a request into its answer. The file is written over, so that a disk that is full has room for what to do about that. */
function answerInPlace(path: string, content: SentOutcome): void {
  const file = openSync(path, 'r+');
  try {
    const bytes = Buffer.from(JSON.stringify(content));
    writeSync(file, bytes, 0, bytes.length, 0);
    ftruncateSync(file, bytes.length);
  } finally {
    closeSync(file);
  }
  renameSync(path, path.replace(REQUEST_SUFFIX, ANSWER_SUFFIX));
}

/** Leaves a request where whoever has the store can read it: the administrator asks, and the collector runs as a user of its own. */
function leaveRequest(dataDirectory: string, path: string, content: StoreRequest): void {
  const directory = requestDirectoryOf(dataDirectory);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  giveToOwner(dataDirectory, directory, 0o700);
  // What cannot be read here would be waited for in vain.
  readdirSync(directory);
  const part = `${path}${PART_SUFFIX}`;
  writeFileSync(part, JSON.stringify(content), { mode: 0o600 });
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
  if (statSync(directory, { throwIfNoEntry: false }) === undefined) {
    throw new ReenactError('not-found', 'There is no data directory.', {
      where: directory,
      next: 'Name it with --data.',
    });
  }
  // What somebody asks for is mostly what makes room; a copy would only take it.
  if (request.type !== 'backup') giveUpSpare(directory);
  const store = await openUnlessTaken(directory);
  return store === undefined ? askRunning(directory, request, timeoutMaxMs) : performHere(store, request);
}

/** What a collector began with that has ended. A trace may be found no more, and its bytes be there still. */
async function finishHere(store: Store, request: StoreRequest): Promise<StoreOutcome> {
  try {
    return await performHere(store, request);
  } catch (thrown) {
    if (request.type !== 'delete-trace' || !isReenactError(thrown) || thrown.code !== 'not-found') throw thrown;
    const again = await openStore(store.threadAccess.dataDirectory);
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
    return await perform({ store, summariser, destinations: [] }, request);
  } finally {
    await summariser.stop();
    await store.close();
  }
}

async function openUnlessTaken(directory: string): Promise<Store | undefined> {
  try {
    return await openStore(directory);
  } catch (thrown) {
    if (isReenactError(thrown) && thrown.message === 'Another process uses this data directory.') return undefined;
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
      const store = waitedMs % STORE_REQUEST_CHECK_MS === 0 ? await openUnlessTaken(dataDirectory) : undefined;
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

/** What was answered in a file; undefined where there is none, or still the request. */
function readAnswer(path: string): SentOutcome | undefined {
  try {
    const content = JSON.parse(readFileSync(path, 'utf8')) as SentOutcome;
    return content.outcome === undefined && content.error === undefined ? undefined : content;
  } catch {
    // One that is just being written is whole at the next look.
    return undefined;
  }
}

/** Why the collector cannot read requests; undefined where that is not known. */
function readTrouble(path: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as { message?: string }).message;
  } catch {
    return undefined;
  }
}

function leaveQuietly(path: string, content: object): void {
  try {
    writeFileSync(path, JSON.stringify(content), { mode: 0o600 });
  } catch {
    // The log has it.
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

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // A disk that fails is told by what was asked for, and not by what is left.
  }
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
