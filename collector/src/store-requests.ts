import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isReenactError, ReenactError, toReenactError } from '@reenact/trace-model';
import { z } from 'zod';
import { STORE_REQUEST_POLL_MS, STORE_REQUEST_TIMEOUT_MS } from './limits.ts';
import type { Log } from './log.ts';
import { resolveTrace } from './query/resolve-trace.ts';
import { Summariser } from './query/summariser.ts';
import { openStore } from './store/log-store.ts';
import type { Store } from './store/store.ts';

const requestSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('backup'), directory: z.string().min(1) }),
  z.strictObject({ type: z.literal('delete-trace'), tenant: z.string(), id: z.string() }),
  z.strictObject({ type: z.literal('delete-user'), tenant: z.string(), user: z.string().min(1) }),
  z.strictObject({ type: z.literal('delete-tenant'), tenant: z.string() }),
  z.strictObject({ type: z.literal('keep'), tenant: z.string(), id: z.string(), reason: z.string().optional() }),
  z.strictObject({ type: z.literal('settle') }),
]);

/** Something to be done with a store, by the collector that has it or, where none runs, by the caller itself. */
export type StoreRequest = z.infer<typeof requestSchema>;

/** What came of it. */
export interface StoreOutcome {
  /** Spans and log records that were deleted; 0 for what deletes nothing. */
  readonly deletedItems: number;
}

interface SentOutcome {
  readonly outcome?: StoreOutcome;
  readonly error?: Pick<ReenactError, 'code' | 'message' | 'where' | 'next' | 'retryable'>;
}

const REQUEST_SUFFIX = '.request.json';
const ANSWER_SUFFIX = '.answer.json';

function requestDirectoryOf(dataDirectory: string): string {
  return join(dataDirectory, 'requests');
}

async function perform(store: Store, summariser: Summariser, request: StoreRequest): Promise<StoreOutcome> {
  switch (request.type) {
    case 'backup':
      await store.backup(request.directory);
      return { deletedItems: 0 };
    case 'delete-trace': {
      const traceId = await resolveTrace(store, request);
      return { deletedItems: await store.erase([[request.tenant, traceId]]) };
    }
    case 'delete-user':
      await summariser.settle(request.tenant);
      return { deletedItems: await store.eraseUser(request.tenant, request.user) };
    case 'delete-tenant':
      return { deletedItems: await store.eraseTenant(request.tenant) };
    case 'keep': {
      const traceId = await resolveTrace(store, request);
      await store.keepRun(request.tenant, traceId, request.reason);
      return { deletedItems: 0 };
    }
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
  private readonly store: Store;
  private readonly summariser: Summariser;
  private readonly log: Log;
  private readonly directory: string;
  private readonly timer: NodeJS.Timeout;
  private running: Promise<void> = Promise.resolve();
  private isBusy = false;

  constructor(dataDirectory: string, store: Store, summariser: Summariser, log: Log) {
    this.store = store;
    this.summariser = summariser;
    this.log = log;
    this.directory = requestDirectoryOf(dataDirectory);
    this.timer = setInterval(() => this.look(), STORE_REQUEST_POLL_MS);
    this.timer.unref();
  }

  /** Ends after the request in work. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  private look(): void {
    if (this.isBusy) return;
    const names = statSync(this.directory, { throwIfNoEntry: false }) === undefined ? [] : readdirSync(this.directory);
    const name = names.find((candidate) => candidate.endsWith(REQUEST_SUFFIX));
    if (name === undefined) return;
    this.isBusy = true;
    this.running = this.answer(name).finally(() => {
      this.isBusy = false;
    });
  }

  private async answer(name: string): Promise<void> {
    const path = join(this.directory, name);
    const answer = path.replace(REQUEST_SUFFIX, ANSWER_SUFFIX);
    try {
      const request = requestSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
      const outcome = await perform(this.store, this.summariser, request);
      writeAtOnce(answer, { outcome });
      const tenant = 'tenant' in request ? { tenant: request.tenant } : {};
      this.log.info('store request done', { type: request.type, ...tenant, ...outcome });
    } catch (thrown) {
      const { code, message, where, next, retryable } = toReenactError(thrown);
      writeAtOnce(answer, { error: { code, message, where, next, retryable } });
      this.log.warn('store request refused', { code, message, where: where ?? '' });
    } finally {
      rmSync(path, { force: true });
    }
  }
}

function writeAtOnce(path: string, content: SentOutcome | StoreRequest): void {
  writeFileSync(`${path}.part`, JSON.stringify(content), { mode: 0o600 });
  renameSync(`${path}.part`, path);
}

/**
 * Does something with the store of a data directory: itself where no process uses it, else through the collector that
 * does. Throws what the store throws, and ReenactError `collector-unreachable` when that process does not answer.
 */
export async function runStoreRequest(dataDirectory: string, request: StoreRequest): Promise<StoreOutcome> {
  const directory = resolve(dataDirectory);
  if (statSync(directory, { throwIfNoEntry: false }) === undefined) {
    throw new ReenactError('not-found', 'There is no data directory.', {
      where: directory,
      next: 'Name it with --data.',
    });
  }
  const store = await openUnlessTaken(directory);
  if (store === undefined) return askRunning(requestDirectoryOf(directory), request);
  const summariser = new Summariser(store);
  try {
    return await perform(store, summariser, request);
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

async function askRunning(directory: string, request: StoreRequest): Promise<StoreOutcome> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, `${randomUUID()}${REQUEST_SUFFIX}`);
  const answer = path.replace(REQUEST_SUFFIX, ANSWER_SUFFIX);
  writeAtOnce(path, request);
  for (let waitedMs = 0; waitedMs < STORE_REQUEST_TIMEOUT_MS; waitedMs += STORE_REQUEST_POLL_MS / 4) {
    await sleep(STORE_REQUEST_POLL_MS / 4);
    if (statSync(answer, { throwIfNoEntry: false }) === undefined) continue;
    const { outcome, error } = JSON.parse(readFileSync(answer, 'utf8')) as SentOutcome;
    rmSync(answer, { force: true });
    if (error !== undefined) throw toError(error);
    return outcome ?? { deletedItems: 0 };
  }
  rmSync(path, { force: true });
  throw new ReenactError('collector-unreachable', 'The process that uses the data directory does not answer.', {
    where: directory,
    next: 'Stop it and run the command again.',
  });
}

function toError({ code, message, where, next, retryable }: NonNullable<SentOutcome['error']>): ReenactError {
  return new ReenactError(code, message, {
    retryable,
    ...(where === undefined ? {} : { where }),
    ...(next === undefined ? {} : { next }),
  });
}
