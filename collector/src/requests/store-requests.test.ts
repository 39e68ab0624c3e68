import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeTracesProtobuf, walkTracesProtobuf } from '@reenact/otlp';
import { ReenactError } from '@reenact/trace-model';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { UNREAD_RUNS_NAMED_MAX } from '../limits.ts';
import { createLog } from '../logging/log.ts';
import { unreadableRun } from '../query/summaries/run-summary.ts';
import { Summariser } from '../query/summaries/summariser.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { runStoreRequest } from './run-store-request.ts';
import { StoreRequests } from './store-requests.ts';

let directory: string;
let store: Store;
let summariser: Summariser;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'reenact-requests-'));
  store = await openStore(directory);
  summariser = new Summariser(store);
});
afterEach(async () => {
  await summariser.stop();
  await store.close();
  rmSync(directory, { recursive: true });
});

describe('a request to keep a run, or to let go of it', () => {
  it.each(['incident', undefined])('that nobody has for the tenant is refused: %s', async (reason) => {
    await store.close();
    const id = 'a'.repeat(32);
    await expect(runStoreRequest(directory, { type: 'keep', tenant: 'shop', id, reason })).rejects.toMatchObject({
      code: 'not-found',
      message: 'Nothing of that run is stored for the tenant shop.',
      where: id,
    });
  });
});

describe('a request to a running store', () => {
  it('whose answer cannot be written is told to the log, done once, and holds up none that follows', async () => {
    const requests = join(directory, 'requests');
    const ask = (name: string) => {
      mkdirSync(requests, { recursive: true });
      writeFileSync(join(requests, `${name}.request.json`), '{"type":"settle"}');
    };
    const events: string[] = [];
    const { promise: told, resolve: tell } = Promise.withResolvers<void>();
    const log = createLog('info', (line) => {
      events.push(String(JSON.parse(line).event));
      if (events.length === 3) tell();
    });
    let settled = 0;
    const settle = async () => {
      settled += 1;
      // The place of the first answer goes; the second one's stays.
      if (settled === 1) rmSync(requests, { recursive: true });
      if (settled === 1) queueMicrotask(() => setImmediate(() => ask('second')));
    };
    const sources = { store: Object.assign(Object.create(store), { settle }), summariser, destinations: [] };
    const served = new StoreRequests(directory, sources, log);
    ask('first');
    await told;
    await served.stop();
    expect(events).toEqual(['store request done', 'store request not answered', 'store request done']);
    expect(readdirSync(requests)).toEqual(['room', 'second.answer.json']);
    expect(settled).toBe(2);
  });

  it('for a backup that cannot be seen where it was asked for is no success', async () => {
    // As where the collector runs in a container, or has a /tmp of its own.
    const seen = Object.assign(Object.create(store), { backup: async () => undefined });
    const log = createLog('silent', () => {});
    const served = new StoreRequests(directory, { store: seen, summariser, destinations: [] }, log);
    const target = `${directory}-backup`;
    await expect(runStoreRequest(directory, { type: 'backup', directory: target })).rejects.toMatchObject({
      code: 'store-failed',
      message: expect.stringContaining('not here'),
      where: target,
      next: expect.stringContaining('PrivateTmp'),
    });
    await served.stop();
  });

  it('whose answer cannot be renamed is still answered', async () => {
    const requests = join(directory, 'requests');
    const asked = runStoreRequest(directory, { type: 'drop-queue', destination: 'other' });
    const answered = expect(asked).rejects.toMatchObject({ code: 'not-found', where: 'other' });
    const isRequest = (name: string) => name.endsWith('.request.json');
    const name = await vi.waitUntil(() => existsSync(requests) && readdirSync(requests).find(isRequest), {
      timeout: 20_000,
    });
    // No file takes the place of a folder, as none took any on a disk whose folders could not be written.
    mkdirSync(join(requests, String(name).replace('.request.', '.answer.')));
    const events: string[] = [];
    const log = createLog('error', (line) => events.push(String(JSON.parse(line).event)));
    const served = new StoreRequests(directory, { store, summariser, destinations: [] }, log);
    await answered;
    await served.stop();
    expect(events).toEqual(['store request not answered']);
  });
});

describe('deletions that wait for a running store', () => {
  it('are done together', async () => {
    const { promise: all, resolve: haveAll } = Promise.withResolvers<void>();
    let begun = 0;
    const eraseTenant = async () => {
      begun += 1;
      if (begun === 3) haveAll();
      await all;
      return begun;
    };
    const asked = ['a', 'b', 'c'].map((tenant) => runStoreRequest(directory, { type: 'delete-tenant', tenant }));
    const requests = join(directory, 'requests');
    const waiting = () => (existsSync(requests) ? readdirSync(requests) : []).filter((name) => name.endsWith('.json'));
    await vi.waitUntil(() => waiting().length === 3, { timeout: 20_000 });
    const sources = { store: Object.assign(Object.create(store), { eraseTenant }), summariser, destinations: [] };
    const served = new StoreRequests(
      directory,
      sources,
      createLog('silent', () => {}),
    );
    expect(await Promise.all(asked)).toEqual([3, 3, 3].map((deletedItems) => ({ deletedItems })));
    await served.stop();
  });
});

describe('the deletion of a user', () => {
  /** As many runs that cannot be read. */
  async function addUnreadable(count: number): Promise<string[]> {
    const traceIds = Array.from({ length: count }, (_, index) => index.toString(16).padStart(32, 'c'));
    const spanId = 'd'.repeat(16);
    const common = { spanId, name: 'span', startTimeUnixNano: '1', endTimeUnixNano: '2' };
    const spans = traceIds.map((traceId) => ({ traceId, ...common }));
    const walked = walkTracesProtobuf(encodeTracesProtobuf({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
    if (!walked.ok) expect.fail(walked.problem.message);
    await store.appendSpans('shop', walked.spans, []);
    const error = new ReenactError('internal', 'not the matter here');
    const stale = await store.staleTraces(count);
    await store.writeSummaries(stale.map((trace) => ({ trace, run: unreadableRun(trace.traceId, spanId, 1, error) })));
    await store.close();
    return traceIds;
  }

  it('says that there are more runs that could not be read than it names', async () => {
    const traceIds = await addUnreadable(UNREAD_RUNS_NAMED_MAX + 1);
    const asked = await runStoreRequest(directory, { type: 'delete-user', tenant: 'shop', user: 'ada' });
    expect(asked).toMatchObject({ deletedItems: 0, hasMoreUnreadRuns: true });
    expect(asked.unreadRuns).toHaveLength(UNREAD_RUNS_NAMED_MAX);
    expect(traceIds).toEqual(expect.arrayContaining([...(asked.unreadRuns ?? [])]));
  });

  it('names the runs that could not be read, which may be of this user, too', async () => {
    const [traceId] = await addUnreadable(1);
    const asked = runStoreRequest(directory, { type: 'delete-user', tenant: 'shop', user: 'ada' });
    expect(await asked).toEqual({ deletedItems: 0, unreadRuns: [traceId] });
    const other = runStoreRequest(directory, { type: 'delete-user', tenant: 'other', user: 'ada' });
    expect(await other).toEqual({ deletedItems: 0 });
  });
});

describe('what commands have left that were killed long ago', () => {
  it('is removed when a collector starts', async () => {
    const requests = join(directory, 'requests');
    mkdirSync(requests);
    const kept = ['new.answer.json', 'new.request.json.part', 'old.other'];
    const left = ['old.answer.json', 'old.request.json.part'];
    for (const name of [...kept, ...left]) writeFileSync(join(requests, name), '{}');
    const twoHoursAgo = Date.now() / 1_000 - 7_200;
    for (const name of [...left, 'old.other']) utimesSync(join(requests, name), twoHoursAgo, twoHoursAgo);
    await new StoreRequests(
      directory,
      { store, summariser, destinations: [] },
      createLog('silent', () => undefined),
    ).stop();
    expect(readdirSync(requests)).toEqual([...kept, 'room']);
  });
});

describe('the folder of requests', () => {
  // Its name says when it did not run: nobody else may give files away.
  it.runIf(process.getuid?.() === 0)('is its to read, whoever asked (needs an administrator)', async () => {
    const requests = join(directory, 'requests');
    mkdirSync(requests);
    chmodSync(requests, 0);
    chownSync(directory, 4321, 4321);
    const asked = runStoreRequest(directory, { type: 'settle' });
    const isRequest = (name: string) => name.endsWith('.request.json');
    const name = await vi.waitUntil(() => readdirSync(requests).find(isRequest), { timeout: 20_000 });
    const owned = [requests, join(requests, String(name))].map((path) => statSync(path));
    expect(owned.map(({ uid, gid, mode }) => [uid, gid, mode & 0o777])).toEqual([
      [4321, 4321, 0o700],
      [4321, 4321, 0o600],
    ]);
    const served = new StoreRequests(
      directory,
      { store, summariser, destinations: [] },
      createLog('silent', () => {}),
    );
    expect(await asked).toEqual({ deletedItems: 0 });
    await served.stop();
  });

  it('that cannot be read is told to the log once, and taken when it can', async () => {
    const requests = join(directory, 'requests');
    writeFileSync(requests, 'no folder');
    const events: string[] = [];
    const log = createLog('info', (line) => events.push(String(JSON.parse(line).event)));
    const served = new StoreRequests(directory, { store, summariser, destinations: [] }, log);
    await vi.waitUntil(() => events.length > 0, { timeout: 20_000 });
    await expect(runStoreRequest(directory, { type: 'settle' })).rejects.toMatchObject({ code: 'store-failed' });
    rmSync(requests);
    expect(await runStoreRequest(directory, { type: 'settle' })).toEqual({ deletedItems: 0 });
    await served.stop();
    expect(events).toEqual(['store requests not read', 'store request done']);
  });

  it('that the collector alone cannot read keeps nobody waiting', async () => {
    const events: string[] = [];
    const log = createLog('info', (line) => events.push(String(JSON.parse(line).event)));
    let isFailing = true;
    const readDirectory = (path: string): string[] => {
      if (isFailing) throw Object.assign(new Error('EIO: i/o error, scandir'), { code: 'EIO', syscall: 'scandir' });
      return readdirSync(path);
    };
    const served = new StoreRequests(directory, { store, summariser, destinations: [] }, log, readDirectory);
    for (const _ of ['once', 'and again']) {
      await expect(runStoreRequest(directory, { type: 'settle' })).rejects.toMatchObject({
        code: 'collector-unreachable',
        message: expect.stringContaining('EIO'),
      });
    }
    expect(readdirSync(join(directory, 'requests'))).toEqual(['room']);
    isFailing = false;
    expect(await runStoreRequest(directory, { type: 'settle' })).toEqual({ deletedItems: 0 });
    await served.stop();
    expect(events).toEqual(['store requests not read', 'store request done']);
    expect(existsSync(join(directory, 'requests-not-read.json'))).toBe(false);
  });
});
