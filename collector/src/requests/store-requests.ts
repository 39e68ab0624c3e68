import {
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { toReenactError } from '@reenact/trace-model';
import { STORE_REQUEST_POLL_MS, STORE_REQUEST_TIMEOUT_MS } from '../limits.ts';
import type { Log } from '../logging/log.ts';
import { writeWhole } from '../store/files/write-whole.ts';
import { toStoreError } from '../store/store-error.ts';
import { keepRequestRoom } from './request-room.ts';
import { performStoreRequest, type StoreRequestSources, storeRequestSchema } from './store-request.ts';
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

/**
 * Serves requests that another process of the same machine leaves as files in the data directory: whoever may write
 * there may do anything to the store anyway, so no other permission is asked for.
 */
export class StoreRequests {
  private readonly sources: StoreRequestSources;
  private readonly log: Log;
  private readonly dataDirectory: string;
  private readonly directory: string;
  private readonly troubleFile: string;
  private readonly readDirectory: (path: string) => string[];
  private readonly timer: NodeJS.Timeout;
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private isBusy = false;
  private isUnreadable = false;
  /** Whether there is room for the next request, as far as is known. */
  private hasRoom: boolean;
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
    this.dataDirectory = dataDirectory;
    this.directory = requestDirectoryOf(dataDirectory);
    this.troubleFile = join(dataDirectory, TROUBLE_FILE);
    removeLeftOver(this.directory);
    this.hasRoom = keepRequestRoom(dataDirectory);
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
    if (!this.hasRoom) this.hasRoom = keepRequestRoom(this.dataDirectory);
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
    // Before the answer: whoever has it may ask again at once.
    this.hasRoom = keepRequestRoom(this.dataDirectory);
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
      const request = storeRequestSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
      const outcome = await performStoreRequest(this.sources, request, this.stopping.signal);
      const tenant = 'tenant' in request ? { tenant: request.tenant } : {};
      const { unreadRuns, unreadLogDays, preview: _, ...counts } = outcome;
      const unread = unreadRuns === undefined ? {} : { unreadRuns: unreadRuns.length };
      const days = unreadLogDays === undefined ? {} : { unreadLogDays: unreadLogDays.join(' ') };
      this.log.info('store request done', { type: request.type, ...tenant, ...counts, ...unread, ...days });
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
    return storeRequestSchema.parse(JSON.parse(readFileSync(path, 'utf8'))).type.startsWith('delete-');
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
    writeWhole(file, bytes);
    ftruncateSync(file, bytes.length);
  } finally {
    closeSync(file);
  }
  renameSync(path, path.replace(REQUEST_SUFFIX, ANSWER_SUFFIX));
}

function leaveQuietly(path: string, content: object): void {
  try {
    writeFileSync(path, JSON.stringify(content), { mode: 0o600 });
  } catch {
    // The log has it.
  }
}
