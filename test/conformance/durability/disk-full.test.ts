import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { openStore, runStoreRequest, type Store, verifyStore } from '@reenact/collector';
import { describe, expect, it } from 'vitest';
import { plainRun } from '../store/plain-run.ts';
import { sliceSpans } from '../store/slices.ts';
import { eventually, makeSpan, spanIdOf, Testbed, textAttributes, traceIdOf } from '../testbed.ts';
import { canMount, mountSmallDisk, takeAllOf, unmount } from './small-disk.ts';

const TENANT = 'default';

/** Less than a new segment of the log usually takes, and enough for what a deletion of little writes. */
const ROOM_LEFT_BYTES = 512 * 1024;

/** Appends until one is refused; gives how many were acknowledged. */
async function fillDisk(store: Store, nameOf = (number: number) => `${number} `.repeat(60_000)): Promise<number> {
  for (let number = 1; ; number += 1) {
    const span = makeSpan({ spanId: spanIdOf(number), name: nameOf(number) });
    const [outcome] = await Promise.allSettled([store.appendSpans(TENANT, sliceSpans(span), [])]);
    if (outcome.status === 'fulfilled') continue;
    expect(outcome.reason).toMatchObject({ code: 'store-failed', retryable: true });
    expect(outcome.reason.message).toMatch(/full|space/i);
    return number - 1;
  }
}

// Its name says when it did not run: mounting needs rights that not every machine gives.
describe.runIf(canMount)('a full disk (needs the right to mount)', () => {
  it('refuses with a retryable error, keeps reading, and takes up again when there is space', {
    timeout: 120_000,
  }, async () => {
    const place = mountSmallDisk() ?? '';
    const testbed = new Testbed();
    try {
      const ballast = join(place, 'ballast');
      writeFileSync(ballast, Buffer.alloc(3 * 1024 * 1024, 1));
      const directory = join(place, 'data');
      const store = await openStore(directory);
      const acknowledged = await fillDisk(store);
      expect(acknowledged).toBeGreaterThan(10);
      expect(await store.readTrace(TENANT, traceIdOf(1))).toHaveLength(acknowledged);
      await expect(
        store.appendSpans(TENANT, sliceSpans(makeSpan({ spanId: spanIdOf(9999), name: 'x'.repeat(200_000) })), []),
      ).rejects.toMatchObject({ retryable: true });
      rmSync(ballast);
      await store.appendSpans(TENANT, sliceSpans(makeSpan({ spanId: spanIdOf(10_000) })), []);
      expect(await store.readTrace(TENANT, traceIdOf(1))).toHaveLength(acknowledged + 1);
      await store.close();
      const again = await openStore(directory);
      expect((await again.readTrace(TENANT, traceIdOf(1))).length).toBeGreaterThanOrEqual(acknowledged + 1);
      await again.close();
    } finally {
      await testbed.dispose();
      unmount(place);
    }
  });
});

describe.runIf(canMount)('a full disk while the first format is taken over (needs the right to mount)', () => {
  it('loses nothing, says what helps, and goes on once there is space', async () => {
    const place = mountSmallDisk() ?? '';
    try {
      const directory = join(place, 'data');
      mkdirSync(directory);
      const version1 = new URL('../../fixtures/stores/version-1.sqlite.gz', import.meta.url);
      writeFileSync(join(directory, 'recordings.sqlite'), gunzipSync(readFileSync(version1)));
      const ballast = join(place, 'ballast');
      const { bavail, bsize } = statfsSync(place);
      writeFileSync(ballast, Buffer.alloc(bavail * bsize - ROOM_LEFT_BYTES / 2, 1));
      await expect(openStore(directory)).rejects.toMatchObject({
        message: 'The disk of the data directory is full.',
        next: expect.stringContaining('recordings.sqlite'),
      });
      rmSync(ballast);
      const store = await openStore(directory);
      expect(await store.stats()).toMatchObject({ spans: 34, traces: 8, logRecords: 2 });
      expect(await store.queueDepths()).toEqual(new Map([['jaeger', 30]]));
      await store.close();
    } finally {
      unmount(place);
    }
  });
});

describe.runIf(canMount)('a disk that is full of recordings (needs the right to mount)', () => {
  /** Runs `act` with a store on a disk of its own that took what it could. */
  async function withFullStore(
    nameOf: ((number: number) => string) | undefined,
    act: (store: Store, acknowledged: number) => Promise<void>,
  ): Promise<void> {
    const place = mountSmallDisk() ?? '';
    try {
      const store = await openStore(join(place, 'data'));
      await act(store, await fillDisk(store, nameOf));
      await store.close();
    } finally {
      unmount(place);
    }
  }

  it('makes room by settling, and takes requests again', { timeout: 120_000 }, async () => {
    await withFullStore(undefined, async (store, acknowledged) => {
      await store.settle();
      expect(await store.readTrace(TENANT, traceIdOf(1))).toHaveLength(acknowledged);
      expect(await fillDisk(store, (number) => `again ${number} `.repeat(20_000))).toBeGreaterThan(acknowledged / 2);
    });
  });

  const incompressible = () => randomBytes(100_000).toString('base64');

  it('settles what cannot be compressed, too, with what it leaves free', { timeout: 120_000 }, async () => {
    await withFullStore(incompressible, async (store, acknowledged) => {
      await store.settle();
      expect(await store.stats()).toMatchObject({ unsettledBytes: 0, spans: acknowledged });
      expect(await store.readTrace(TENANT, traceIdOf(1))).toHaveLength(acknowledged);
    });
  });

  it('lets go of runs that are deleted, and takes requests again', { timeout: 120_000 }, async () => {
    await withFullStore(incompressible, async (store, acknowledged) => {
      expect(await store.erase([[TENANT, traceIdOf(1)]])).toBe(acknowledged);
      expect(await fillDisk(store, incompressible)).toBeGreaterThan(acknowledged / 2);
    });
  });
});

it.runIf(!canMount)('a full disk is not tried here: this user may not mount a file system', () => {
  expect(canMount).toBe(false);
});

describe.runIf(canMount)('a disk of which something else has taken all (needs the right to mount)', () => {
  it.each(['a collector runs on', 'no process uses'])(
    'still lets runs be kept and deleted in a directory that %s',
    {
      timeout: 120_000,
    },
    async (user) => {
      const place = mountSmallDisk() ?? '';
      const testbed = new Testbed();
      try {
        const dataDirectory = join(place, 'data');
        const { stop } = await testbed.start({ dataDirectory, limits: { retentionIntervalMs: 100 } });
        await eventually('the spare', async () => readdirSync(dataDirectory).includes('spare'));
        await stop();
        const store = await openStore(dataDirectory);
        for (const run of [1, 2, 3]) {
          const name = randomBytes(50_000).toString('hex');
          const span = makeSpan({ traceId: traceIdOf(run), spanId: spanIdOf(run), name });
          await store.appendSpans(TENANT, sliceSpans(span), []);
          if (run === 2) await store.settle();
        }
        await store.close();
        if (user === 'a collector runs on') await testbed.start({ dataDirectory });
        takeAllOf(place);
        await runStoreRequest(dataDirectory, { type: 'keep', tenant: TENANT, id: traceIdOf(1), reason: 'incident' });
        for (const run of [2, 3]) {
          const request = { type: 'delete-trace', tenant: TENANT, id: traceIdOf(run) } as const;
          expect(await runStoreRequest(dataDirectory, request)).toEqual({ deletedItems: 1 });
          // What is given back is taken, too.
          takeAllOf(place, ROOM_LEFT_BYTES);
        }
      } finally {
        await testbed.dispose();
        unmount(place);
      }
    },
  );
});

describe.runIf(canMount)('a disk whose spare others have taken, too (needs the right to mount)', () => {
  it('still lets the runs of a user be deleted, one that was not summarised by then included', {
    timeout: 120_000,
  }, async () => {
    const place = mountSmallDisk() ?? '';
    const testbed = new Testbed();
    try {
      const dataDirectory = join(place, 'data');
      const store = await openStore(dataDirectory);
      for (const run of [1, 2]) {
        const attributes = textAttributes({ 'user.id': `user-${run}` });
        const span = makeSpan({ traceId: traceIdOf(run), spanId: spanIdOf(run), attributes });
        await store.appendSpans(TENANT, sliceSpans(span), []);
      }
      await store.close();
      takeAllOf(place, ROOM_LEFT_BYTES);
      const request = { type: 'delete-user', tenant: TENANT, user: 'user-1' } as const;
      expect(await runStoreRequest(dataDirectory, request)).toEqual({ deletedItems: 1 });
    } finally {
      await testbed.dispose();
      unmount(place);
    }
  });
});

describe.runIf(canMount)(
  'a disk of which something else has taken all, the spare included (needs the right to mount)',
  () => {
    /** Runs of which the last is in the log, as are all where nothing is settled, on a disk without a byte left. */
    async function withRuns(isSettled: boolean, act: (store: Store, place: string) => Promise<void>): Promise<void> {
      const place = mountSmallDisk() ?? '';
      const store = await openStore(join(place, 'data'));
      try {
        for (const run of [1, 2, 3]) {
          if (run === 3 && isSettled) await store.settle();
          const name = randomBytes(50_000).toString('hex');
          const span = makeSpan({ traceId: traceIdOf(run), spanId: spanIdOf(run), name });
          await store.appendSpans(TENANT, sliceSpans(span), []);
        }
        takeAllOf(place);
        await act(store, place);
      } finally {
        await store.close();
        unmount(place);
      }
    }

    it.each([
      ['what the log keeps to write again', true],
      ['what the log has ahead', false],
    ])('has runs deleted with the room of %s, and goes on', { timeout: 120_000 }, async (_, isSettled) => {
      await withRuns(isSettled, async (store, place) => {
        expect(await store.erase([[TENANT, traceIdOf(1)]])).toBe(1);
        expect(await store.readTrace(TENANT, traceIdOf(1))).toHaveLength(0);
        rmSync(join(place, 'other'));
        await store.appendSpans(TENANT, sliceSpans(makeSpan({ traceId: traceIdOf(4), spanId: spanIdOf(4) })), []);
        await store.close();
        expect(verifyStore(join(place, 'data'))).toMatchObject({ items: 3, problems: [] });
      });
    });

    it('lets a directory that no process uses be opened with the room of what the log kept to write again', {
      timeout: 120_000,
    }, async () => {
      await withRuns(true, async (store, place) => {
        await store.close();
        takeAllOf(place);
        const request = { type: 'delete-trace', tenant: TENANT, id: traceIdOf(1) } as const;
        expect(await runStoreRequest(join(place, 'data'), request)).toEqual({ deletedItems: 1 });
      });
    });
  },
);

it.runIf(canMount)(
  'a collector that has made no spare yet is still asked for a deletion where nothing is left (needs the right to mount)',
  { timeout: 120_000 },
  async () => {
    const place = mountSmallDisk() ?? '';
    const testbed = new Testbed();
    try {
      const dataDirectory = join(place, 'data');
      const store = await openStore(dataDirectory);
      for (const run of [1, 2]) {
        const name = randomBytes(50_000).toString('hex');
        const span = makeSpan({ traceId: traceIdOf(run), spanId: spanIdOf(run), name });
        await store.appendSpans(TENANT, sliceSpans(span), []);
      }
      await store.close();
      await testbed.start({ dataDirectory });
      takeAllOf(place);
      expect(readdirSync(dataDirectory)).not.toContain('spare');
      const request = { type: 'delete-trace', tenant: TENANT, id: traceIdOf(1) } as const;
      expect(await runStoreRequest(dataDirectory, request)).toEqual({ deletedItems: 1 });
      // It was written over, and is there again for the next one.
      expect(readdirSync(join(dataDirectory, 'requests'))).toEqual(['room']);
    } finally {
      await testbed.dispose();
      unmount(place);
    }
  },
);

describe.runIf(canMount)('retention where something else has taken all of the disk (needs the right to mount)', () => {
  const DAY_MS = 86_400_000;
  const days = { graceMs: DAY_MS, ordinaryMs: 30 * DAY_MS, specialMs: 30 * DAY_MS, bytesMax: Number.POSITIVE_INFINITY };

  /** Runs that are settled and summarised, and one that is neither, in a store that has a spare. */
  async function withRuns(act: (store: Store, place: string) => Promise<void>): Promise<void> {
    const place = mountSmallDisk() ?? '';
    try {
      const dataDirectory = join(place, 'data');
      const store = await openStore(dataDirectory);
      for (const run of [1, 2, 3, 4]) {
        if (run === 4) await store.settle();
        const name = randomBytes(50_000).toString('hex');
        const span = makeSpan({ traceId: traceIdOf(run), spanId: spanIdOf(run), name });
        await store.appendSpans(TENANT, sliceSpans(span), []);
        const [trace] = await store.staleTraces(1);
        if (trace !== undefined && run < 4) await store.writeSummaries([{ trace, run: plainRun(run) }]);
      }
      await store.expire(days, Date.now());
      expect(readdirSync(dataDirectory)).toContain('spare');
      takeAllOf(place);
      await act(store, place);
      await store.close();
    } finally {
      unmount(place);
    }
  }

  it('still thins out by age', { timeout: 120_000 }, async () => {
    await withRuns(async (store, place) => {
      expect(await store.expire(days, Date.now() + 31 * DAY_MS)).toBe(4);
      expect((await store.stats()).traces).toBe(0);
      expect(statfsSync(place).bavail).toBeGreaterThan(0);
    });
  });

  it('still thins out by size', { timeout: 120_000 }, async () => {
    await withRuns(async (store) => {
      expect(await store.expire({ ...days, bytesMax: 1 }, Date.now() + 2 * DAY_MS)).toBe(4);
    });
  });

  it('keeps its spare where nothing has to go', { timeout: 120_000 }, async () => {
    await withRuns(async (store, place) => {
      expect(await store.expire(days, Date.now())).toBe(0);
      expect(readdirSync(join(place, 'data'))).toContain('spare');
    });
  });
});
