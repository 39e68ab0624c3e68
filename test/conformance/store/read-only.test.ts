import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { openStore, verifyStore } from '@reenact/collector';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { canMount, mountSmallDisk, takeAllOf, unmount } from '../durability/small-disk.ts';
import { makeSpan, spanIdOf, Testbed } from '../testbed.ts';
import { sliceSpans } from './slices.ts';

const testbed = new Testbed();
const mounted: string[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const place of mounted.splice(0)) unmount(place);
  await testbed.dispose();
});

/** Another name of a directory, below which nothing can be written. */
function readOnly(directory: string): string {
  // Its name is what a replacement of texts takes for a pattern.
  const place = mkdtempSync(join(tmpdir(), 'reenact-mounted-$&-'));
  execFileSync('mount', ['--bind', directory, place]);
  mounted.push(place);
  execFileSync('mount', ['-o', 'remount,ro,bind', place]);
  return place;
}

/** A store with settled and unsettled spans, still open. */
async function filled() {
  const directory = await testbed.directory();
  const store = await openStore(directory);
  for (let number = 1; number <= 6; number += 1) {
    await store.appendSpans('default', sliceSpans(makeSpan({ spanId: spanIdOf(number) })), []);
    if (number === 4) await store.settle();
  }
  return { directory, store };
}

const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith('reenact-read-only-'));

// Its name says when it did not run: mounting needs rights that not every machine gives.
describe.runIf(canMount)('verify of a directory that is read-only (needs the right to mount)', () => {
  it('says what it says of any other, and leaves nothing behind', async () => {
    const { directory, store } = await filled();
    await store.close();
    const place = readOnly(directory);
    const before = left();
    const steps: string[] = [];
    const report = verifyStore(place, { onProgress: (step) => steps.push(step) });
    expect(report).toMatchObject({ items: 6, frames: 6, problems: [] });
    expect(steps.filter((step) => step.includes('/')).every((step) => step.startsWith(place))).toBe(true);
    expect(left()).toEqual(before);
    expect(verifyStore(directory)).toEqual(report);
  });

  it('reads what a process that was killed left, beside its databases, too', async () => {
    const { directory, store } = await filled();
    const image = join(await testbed.directory(), 'image');
    cpSync(directory, image, { recursive: true });
    await store.close();
    expect(verifyStore(readOnly(image))).toMatchObject({ items: 6, problems: [] });
  });

  it('leaves what a process that was killed had not finished where it is', async () => {
    const { directory, store } = await filled();
    await store.close();
    const names = ['packs/000000000008.pack', 'packs/000000000009.pack.part', 'chain/000000000009.chain.part'];
    for (const name of names) writeFileSync(join(directory, name), 'the first part');
    expect(verifyStore(readOnly(directory))).toMatchObject({ items: 6, problems: [] });
    expect(names.filter((name) => existsSync(join(directory, name)))).toEqual(names);
  });

  it('says that the folder for temporary files is full where that is what is', async () => {
    const { directory, store } = await filled();
    await store.close();
    const place = readOnly(directory);
    const temporary = mountSmallDisk() ?? '';
    mounted.push(temporary);
    takeAllOf(temporary, 65_536);
    vi.stubEnv('TMPDIR', temporary);
    const refusal = { message: expect.stringContaining(temporary), next: expect.stringContaining('TMPDIR') };
    expect(() => verifyStore(place)).toThrow(expect.objectContaining({ code: 'store-failed', ...refusal }));
    expect(readdirSync(temporary)).toEqual(['other']);
  });

  it('is refused where a process writes to it by another name, and where an index shall be made again', async () => {
    const { directory, store } = await filled();
    const place = readOnly(directory);
    const used = { code: 'store-failed', message: 'Another process uses this data directory.', where: place };
    expect(() => verifyStore(place)).toThrow(expect.objectContaining(used));
    await store.close();
    const unwritable = { code: 'store-failed', message: expect.stringContaining('read-only') };
    expect(() => verifyStore(place, { rebuildIndex: true })).toThrow(expect.objectContaining(unwritable));
  });
});

describe.runIf(canMount)('verify of a directory that is read-only and damaged (needs the right to mount)', () => {
  it('names the file that is damaged by the name it has', async () => {
    const { directory, store } = await filled();
    await store.close();
    const pack = join(directory, 'packs', readdirSync(join(directory, 'packs'))[0] ?? '');
    const bytes = readFileSync(pack);
    bytes[bytes.length - 40] = (bytes[bytes.length - 40] ?? 0) ^ 0x40;
    writeFileSync(pack, bytes);
    const place = readOnly(directory);
    const [problem] = verifyStore(place).problems;
    expect(problem).toMatchObject({ part: 'pack', where: expect.stringContaining(join(place, 'packs')) });
  });

  it.each(['queues.json', 'retention.json'])('finds %s damaged, as in any other', async (name) => {
    const { directory, store } = await filled();
    await store.close();
    writeFileSync(join(directory, name), '{"oldestQueuedItems":{},"crc32":"00000000"}');
    const place = readOnly(directory);
    const problems = [expect.objectContaining({ part: 'directory', where: join(place, name) })];
    expect(verifyStore(place).problems).toEqual(problems);
  });
});

const FAILING_DISK_BYTES = 48 * 1024 * 1024;

/** A file system of its own that can be told to fail; undefined where this machine has none, or this user may not mount one. */
function mountFailingDisk(directory: string): { readonly place: string; fail(): void } | undefined {
  const [image, place] = [join(directory, 'image'), join(directory, 'place')];
  try {
    writeFileSync(image, '');
    truncateSync(image, FAILING_DISK_BYTES);
    execFileSync('mkfs.ext4', ['-q', image], { stdio: 'ignore' });
    mkdirSync(place);
    execFileSync('mount', ['-o', 'loop,errors=remount-ro', image, place], { stdio: 'ignore' });
    mounted.push(place);
    const device = execFileSync('findmnt', ['-no', 'SOURCE', place], { encoding: 'utf8' }).trim();
    const trigger = join('/sys/fs/ext4', basename(device), 'trigger_fs_error');
    return existsSync(trigger) ? { place, fail: () => writeFileSync(trigger, '1') } : undefined;
  } catch {
    return undefined;
  }
}

describe('verify of a directory on a file system that takes nothing any more since it failed', () => {
  it('says what it says of any other (needs ext4 and the right to mount)', async ({ skip }) => {
    const disk = mountFailingDisk(await testbed.directory());
    if (disk === undefined) return skip();
    const { directory, store } = await filled();
    await store.close();
    const data = join(disk.place, 'data');
    cpSync(directory, data, { recursive: true });
    execFileSync('sync');
    disk.fail();
    expect(() => writeFileSync(join(disk.place, 'more'), '')).toThrow(/EROFS/);
    expect(verifyStore(data)).toEqual(verifyStore(directory));
  });
});
