import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../logging/log.ts';
import { Summariser } from '../query/summaries/summariser.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { runStoreRequest } from './run-store-request.ts';
import { StoreRequests } from './store-requests.ts';

/** An hour where nothing is said. */
const TIMEOUT_MS = 2000;

let directory: string;
let store: Store;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'reenact-long-backup-'));
  store = await openStore(directory);
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

describe('a backup that takes longer than other requests may', () => {
  it('is waited for as long as the collector is there', async () => {
    const { promise: copied, resolve: finish } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const target = join(directory, 'copy');
    const backup = async (place: string) => {
      begin();
      await copied;
      mkdirSync(place);
    };
    const summariser = new Summariser(store);
    const sources = { store: Object.assign(Object.create(store), { backup }), summariser, destinations: [] };
    const log = createLog('silent', () => {});
    const served = new StoreRequests(directory, sources, log);
    const asked = runStoreRequest(directory, { type: 'backup', directory: target }, TIMEOUT_MS);
    const outcome = asked.then(
      () => 'done',
      (thrown: unknown) => String(thrown),
    );
    await begun;
    // It waits behind the backup, longer than it may.
    const settled = runStoreRequest(directory, { type: 'settle' }, TIMEOUT_MS);
    await expect(settled).rejects.toMatchObject({ code: 'collector-unreachable' });
    finish();
    expect(await outcome).toBe('done');
    await served.stop();
    await summariser.stop();
  });
});
