import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore, verifyStore } from '@reenact/collector';
import { afterEach, describe, expect, it } from 'vitest';
import { sliceSpans } from '../store/slices.ts';
import { makeSpan, spanIdOf, Testbed, traceIdOf } from '../testbed.ts';
import { canMount, hasSmallBlocks, mountSmallBlocks, mountSmallDisk, takeAllOf, unmount } from './small-disk.ts';

const OPENING = new URL('opening-process.ts', import.meta.url).pathname;
const RUNS = [1, 2, 3];

const testbed = new Testbed();
afterEach(() => testbed.dispose());

/** A directory with runs that are settled and one that is in the log, on a disk of which something else has taken all. */
async function withFullDisk(
  mount: () => string | undefined,
  act: (dataDirectory: string) => void,
  spareBytes = 0,
): Promise<void> {
  const made = await testbed.directory();
  const store = await openStore(made);
  for (const run of RUNS) {
    if (run === 3) await store.settle();
    const span = makeSpan({ traceId: traceIdOf(run), spanId: spanIdOf(run) });
    await store.appendSpans('default', sliceSpans(span), []);
  }
  await store.close();
  // Else there would be the room of what is kept to be written again.
  for (const name of readdirSync(join(made, 'log'))) if (name.startsWith('free-')) rmSync(join(made, 'log', name));
  const place = mount() ?? '';
  try {
    const dataDirectory = join(place, 'data');
    cpSync(made, dataDirectory, { recursive: true });
    if (spareBytes > 0) writeFileSync(join(dataDirectory, 'spare'), randomBytes(spareBytes));
    takeAllOf(place);
    act(dataDirectory);
  } finally {
    unmount(place);
  }
}

/** Of a process that opens it: how it ended, and what the store said. */
function openElsewhere(dataDirectory: string) {
  const { signal, stdout } = spawnSync(process.execPath, ['--no-warnings', OPENING, dataDirectory], {
    encoding: 'utf8',
  });
  return { signal, said: stdout.trim() };
}

describe.each([
  ['of small blocks, as of ext4', hasSmallBlocks, mountSmallBlocks, 4_000_000],
  ['held in memory', canMount, mountSmallDisk, 1_200_000],
])('a directory on a full disk %s (needs the right to mount)', (_, canHave, mount, tenthBytes) => {
  it.runIf(canHave)('is refused with what to do, and ends no process', { timeout: 120_000 }, async () => {
    await withFullDisk(mount, (dataDirectory) => {
      const { signal, said } = openElsewhere(dataDirectory);
      expect(signal).toBeNull();
      expect(said).toContain('The disk of the data directory is full.');
    });
  });

  it.runIf(canHave)('is opened with the room of its spare', { timeout: 120_000 }, async () => {
    const look = (dataDirectory: string): void => {
      expect(openElsewhere(dataDirectory)).toEqual({ signal: null, said: `opened with ${RUNS.length} spans` });
      expect(existsSync(join(dataDirectory, 'spare'))).toBe(false);
    };
    await withFullDisk(mount, look, tenthBytes);
  });

  it.runIf(canHave)('is checked all the same', { timeout: 120_000 }, async () => {
    await withFullDisk(mount, (dataDirectory) => {
      expect(verifyStore(dataDirectory)).toMatchObject({ items: RUNS.length, problems: [] });
      expect(() => verifyStore(dataDirectory, { rebuildIndex: true })).toThrow(
        'The disk of the data directory is full.',
      );
    });
  });
});

describe('a directory on a disk of small blocks, as of ext4 (needs the right to mount)', () => {
  it.runIf(hasSmallBlocks)(
    'has a block for every byte of the memory that is shared for its databases, so that no full disk ends the process',
    { timeout: 120_000 },
    async () => {
      const place = mountSmallBlocks() ?? '';
      const store = await openStore(join(place, 'data'));
      try {
        // More than one of the parts that it grows by: the system ends a process that writes to one whose blocks the disk no longer has.
        for (const database of ['index', 'search']) {
          const { size, blocks } = statSync(join(place, `data/${database}.sqlite-shm`));
          expect([database, size, blocks * 512 >= size]).toEqual([database, 512 * 1024, true]);
        }
        takeAllOf(place);
        const span = makeSpan({ traceId: traceIdOf(9), spanId: spanIdOf(9) });
        await expect(store.appendSpans('default', sliceSpans(span), [])).rejects.toMatchObject({ retryable: true });
        expect((await store.stats()).spans).toBe(0);
      } finally {
        await store.close();
        unmount(place);
      }
    },
  );
});
