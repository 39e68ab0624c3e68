import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Disk, systemDisk } from './files/disk.ts';
import { openIndexForReading } from './index/open-index.ts';
import { OPEN_FILES_PER_READER_MAX, SETTLE_AGE_MS } from './limits.ts';
import { encodeBatch } from './log/batch.ts';
import { FRAME_HEADER_BYTES } from './log/frame.ts';
import { type SettlementPlan, Settler } from './pack/settler.ts';
import { ThreadReader } from './thread-reader.ts';
import { StoreWriter } from './worker/store-writer.ts';

const TENANT = 'default';
/** Each frame fills a segment, so that the next one overwrites a released segment from its beginning. */
const SIZES = { segmentBytes: 1024, firstBytes: 1024 };

let directory: string;
let writer: StoreWriter;
let settler: Settler;
let timeMs = 0;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reenact-thread-'));
  writer = new StoreWriter({ dataDirectory: directory, disk: systemDisk, sizes: SIZES });
  settler = new Settler(openIndexForReading(directory), systemDisk, directory);
});
afterEach(() => {
  writer.close();
  rmSync(directory, { recursive: true });
});

function traceIdOf(number: number): string {
  return number.toString(16).padStart(32, '0');
}

/** All contents are equally long, so that frames lie at equal places. */
function contentOf(number: number): Buffer {
  return Buffer.from(`span ${String(number).padStart(4, '0')} `.repeat(80));
}

function append(number: number): void {
  const none = { format: 'protobuf', schemaUrl: '', bytes: new Uint8Array(0) } as const;
  const item = {
    id: 0,
    signal: 0,
    traceId: traceIdOf(number),
    spanId: number.toString(16).padStart(16, '0'),
    timeNs: 1n,
    rank: 4,
    format: 'protobuf',
    resource: 0,
    scope: 0,
    bytes: contentOf(number),
  } as const;
  writer.append([
    encodeBatch({ tenant: TENANT, destinations: [], groups: [none], items: [item] }, 0, FRAME_HEADER_BYTES),
  ]);
}

/** Settles everything and releases the files, and asks no reader. */
function settle(): void {
  for (let plan = writer.book.plan('everything', 0); plan !== undefined; plan = writer.book.plan('everything', 0)) {
    const steps = writer.book.apply(settler.settle(plan));
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    writer.book.release(step.value);
  }
}

/** Settles what is due at a time that is a long while after the last one, without merging small packs. */
function settleIntoPack(): void {
  let plan: SettlementPlan | undefined;
  for (; plan === undefined; timeMs += SETTLE_AGE_MS) plan = writer.book.plan('due', timeMs);
  const steps = writer.book.apply(settler.settle(plan));
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  writer.book.release(step.value);
}

/** A disk on which something happens before the first file is opened, or before the first bytes are read. */
function disturbed(at: 'openRead' | 'read', act: () => void): Disk {
  let isDone = false;
  const once = (): void => {
    if (isDone) return;
    isDone = true;
    act();
  };
  return {
    ...systemDisk,
    openRead: (path) => {
      if (at === 'openRead') once();
      return systemDisk.openRead(path);
    },
    read: (file, position, bytes) => {
      if (at === 'read') once();
      return systemDisk.read(file, position, bytes);
    },
  };
}

function expectWhole(reader: ThreadReader, number: number): void {
  const spans = reader.readTrace(TENANT, traceIdOf(number));
  expect(spans?.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual([contentOf(number).toString()]);
}

describe('reading beside the writer, which releases files without asking', () => {
  it.each(['openRead', 'read'] as const)('finds a span that is settled and overwritten at its %s', (at) => {
    for (const number of [1, 2, 3]) append(number);
    const disk = disturbed(at, () => {
      settle();
      for (const number of [4, 5, 6, 7, 8]) append(number);
    });
    const reader = new ThreadReader({ dataDirectory: directory }, disk);
    for (const number of [1, 2, 3, 8, 1]) expectWhole(reader, number);
    reader.rest();
    for (const number of [1, 8]) expectWhole(reader, number);
  });

  it('finds a span whose pack is rewritten and removed meanwhile', () => {
    for (const number of [1, 2, 3]) append(number);
    settle();
    const missed: string[] = [];
    const disk = disturbed('openRead', () => {
      writer.control({ type: 'erase', traces: [[TENANT, traceIdOf(2)]], isUrgent: true });
      settle();
    });
    const openRead = (path: string): number => {
      try {
        return disk.openRead(path);
      } catch (thrown) {
        missed.push(path);
        throw thrown;
      }
    };
    const reader = new ThreadReader({ dataDirectory: directory }, { ...disk, openRead });
    expectWhole(reader, 1);
    expect(missed).toEqual([expect.stringMatching(/\.pack$/)]);
    expect(reader.readTrace(TENANT, traceIdOf(2))).toEqual([]);
  });

  it('finds a span that is moved again whenever it is read', () => {
    const others = [2, 3, 4, 5, 6, 7];
    for (const number of [1, ...others]) append(number);
    settle();
    const left = [...others];
    const openRead = (path: string): number => {
      const erased = left.pop();
      if (erased !== undefined) {
        writer.control({ type: 'erase', traces: [[TENANT, traceIdOf(erased)]], isUrgent: true });
        settle();
      }
      return systemDisk.openRead(path);
    };
    expectWhole(new ThreadReader({ dataDirectory: directory }, { ...systemDisk, openRead }), 1);
    expect(left).toEqual([]);
  });

  it('says so where something is gone for good', () => {
    append(1);
    const disk = { ...systemDisk, read: () => Buffer.alloc(0) };
    const reader = new ThreadReader({ dataDirectory: directory }, disk);
    expect(() => reader.readTrace(TENANT, traceIdOf(1))).toThrow(expect.objectContaining({ code: 'store-failed' }));
  });
});

describe('the files of a reader', () => {
  it('are let go of where another one cannot be opened, as where too many are', () => {
    append(1);
    append(2);
    let refusals = 0;
    const open = new Set<number>();
    const openRead = (path: string): number => {
      // As by a limit that other readers have nearly used up: another one can be opened where this one lets go of its own.
      if (open.size > 0) {
        refusals += 1;
        throw Object.assign(new Error('too many open files'), { code: 'EMFILE', syscall: 'open' });
      }
      const file = systemDisk.openRead(path);
      open.add(file);
      return file;
    };
    const close = (file: number): void => {
      open.delete(file);
      systemDisk.close(file);
    };
    const reader = new ThreadReader({ dataDirectory: directory }, { ...systemDisk, openRead, close });
    for (const number of [1, 2]) expectWhole(reader, number);
    expect(refusals).toBe(1);
  });

  it('are no more packs at one time than may be open, however many it reads', () => {
    const packs = 3 * OPEN_FILES_PER_READER_MAX;
    for (let number = 1; number <= packs; number += 1) {
      append(number);
      settleIntoPack();
    }
    const open = new Set<number>();
    let most = 0;
    const openRead = (path: string): number => {
      const file = systemDisk.openRead(path);
      if (path.endsWith('.pack')) most = Math.max(most, open.add(file).size);
      return file;
    };
    const close = (file: number): void => {
      open.delete(file);
      systemDisk.close(file);
    };
    const reader = new ThreadReader({ dataDirectory: directory }, { ...systemDisk, openRead, close });
    for (const _ of [1, 2]) for (let number = 1; number <= packs; number += 1) expectWhole(reader, number);
    expect(most).toBe(OPEN_FILES_PER_READER_MAX);
    reader.rest();
    expect(open.size).toBe(0);
  });
});
