import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { INDEX_FILE } from '../database/schema.ts';
import { type Disk, systemDisk } from '../files/disk.ts';
import { encodeBatch } from '../log/batch.ts';
import { FRAME_HEADER_BYTES } from '../log/frame.ts';
import { BatchSource } from '../pack/batch-source.ts';
import { Settler } from '../pack/settler.ts';
import { StoreWriter, type StoreWriterOptions } from '../worker/store-writer.ts';
import { ItemReader } from './item-reader.ts';
import { openIndexForReading } from './open-index.ts';
import { SPAN_PART_ITEMS, verifySpanIndex } from './span-index.ts';

const TENANTS = ['default', 'other'] as const;
const TRACES = 4;
const SPANS = 12;
const SIZES = { segmentBytes: 16 * 1024, firstBytes: 2048 };

interface Received {
  readonly tenant: string;
  readonly trace: number;
  readonly span: number;
}

type Step =
  | ({ readonly do: 'append'; readonly count: number } & Received)
  | { readonly do: 'refuse'; readonly span: number }
  | { readonly do: 'erase'; readonly tenant: string; readonly trace: number }
  | { readonly do: 'settle' | 'reopen' | 'kill' | 'rebuild' };

const idOf = (number: number, digits: number) => `a${number.toString(16).padStart(digits - 1, '0')}`;

function frameOf({ tenant, trace, span }: Received, content: number, signal: 0 | 1 = 0): Buffer {
  const none = { format: 'protobuf', schemaUrl: '', bytes: new Uint8Array(0) } as const;
  const item = {
    id: 0,
    signal,
    traceId: idOf(trace, 32),
    spanId: idOf(span, 16),
    timeNs: 1n,
    rank: signal === 0 ? 4 : 0,
    format: 'protobuf',
    resource: 0,
    scope: 0,
    bytes: Buffer.from(`content ${content}`),
  } as const;
  return encodeBatch({ tenant, destinations: [], groups: [none], items: [item] }, 0, FRAME_HEADER_BYTES);
}

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'reenact-span-index-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function removeIndex(directory: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(directory, `${INDEX_FILE}${suffix}`), { force: true });
}

/** A store beside a plain model of it: what was received and not erased, newest last. */
class Modelled {
  directory = mkdtempSync(join(base, 'store-'));
  private readonly batchItems: number;
  private writer: StoreWriter;
  private living: Received[] = [];
  private contents = 0;
  private isFull = false;

  constructor(batchItems: number) {
    this.batchItems = batchItems;
    this.writer = this.open();
  }

  take(step: Step): void {
    switch (step.do) {
      case 'append':
        for (let more = 0; more < step.count; more += 1) this.append({ ...step, span: (step.span + more) % SPANS });
        return;
      case 'refuse':
        this.isFull = true;
        expect(() => this.append({ tenant: TENANTS[0], trace: 0, span: step.span })).toThrow();
        this.isFull = false;
        return;
      case 'erase':
        this.writer.control({ type: 'erase', traces: [[step.tenant, idOf(step.trace, 32)]], isUrgent: true });
        this.living = this.living.filter(({ tenant, trace }) => tenant !== step.tenant || trace !== step.trace);
        return;
      case 'settle':
        this.settle();
        return;
      case 'reopen':
      case 'rebuild':
        this.writer.close();
        if (step.do === 'rebuild') removeIndex(this.directory);
        this.writer = this.open();
        return;
      case 'kill':
        this.kill();
        return;
    }
  }

  /** Look-ups by a reader of its own, as another thread has one, against the model; then the store's own check. */
  compare(): void {
    const database = openIndexForReading(this.directory);
    const reader = new ItemReader(database, new BatchSource(database, systemDisk, this.directory));
    for (const tenant of TENANTS) {
      for (let span = 0; span < SPANS; span += 1) {
        const newest = this.living.findLast((received) => received.tenant === tenant && received.span === span);
        expect(reader.findTrace(tenant, idOf(span, 16))).toBe(newest && idOf(newest.trace, 32));
      }
    }
    database.close();
    expect(verifySpanIndex(this.writer.database)).toEqual([]);
  }

  close(): void {
    this.writer.close();
    rmSync(this.directory, { recursive: true });
  }

  private open(): StoreWriter {
    const refusing: Disk = {
      ...systemDisk,
      write: (file, buffers, position) => {
        if (this.isFull) throw new Error('refused');
        systemDisk.write(file, buffers, position);
      },
    };
    const options: StoreWriterOptions = { dataDirectory: this.directory, disk: refusing, sizes: SIZES };
    return new StoreWriter({ ...options, spanBatchItems: this.batchItems });
  }

  private append(received: Received): void {
    this.contents += 1;
    // A log record names a span, too, and is none.
    const log = frameOf({ ...received, span: (received.span + 1) % SPANS, trace: TRACES }, this.contents, 1);
    this.writer.append([frameOf(received, this.contents), log]);
    this.living.push(received);
  }

  private settle(): void {
    const plan = this.writer.book.plan('everything', Date.now());
    if (plan === undefined) return;
    const database = openIndexForReading(this.directory);
    const steps = this.writer.book.apply(new Settler(database, systemDisk, this.directory).settle(plan));
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done !== true) continue;
      this.writer.book.release(step.value);
      break;
    }
    database.close();
  }

  /** What a process that was killed leaves: files as they are, closed by nobody. */
  private kill(): void {
    const left = mkdtempSync(join(base, 'store-'));
    cpSync(this.directory, left, { recursive: true });
    this.close();
    this.directory = left;
    this.writer = this.open();
  }
}

const span = fc.nat(SPANS - 1);
const trace = fc.nat(TRACES - 1);
const tenant = fc.constantFrom(...TENANTS);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('append' as const),
        tenant,
        trace,
        span,
        count: fc.integer({ min: 1, max: 5 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('refuse' as const), span }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('erase' as const), tenant, trace }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constantFrom('settle' as const, 'reopen' as const, 'kill' as const, 'rebuild' as const),
      }),
    },
  ),
  { minLength: 1, maxLength: 30 },
);

describe('look-ups by span id', () => {
  it('find what a plain model finds, through refused appends, deletions, settling, kills and an index made again', {
    timeout: 120_000,
  }, () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), steps, (batchItems, taken) => {
        const store = new Modelled(batchItems);
        for (const step of taken) {
          store.take(step);
          store.compare();
        }
        store.close();
      }),
      { numRuns: 12, endOnFailure: true },
    );
  });

  it('find what came behind an append that was refused while its spans were entered', () => {
    const store = new Modelled(2);
    const received = { do: 'append', tenant: TENANTS[0], trace: 1, count: 1 } as const;
    for (const span of [1, 2]) {
      store.take({ ...received, span });
      store.take({ do: 'refuse', span });
    }
    for (const span of [3, 4, 5]) store.take({ ...received, span });
    store.compare();
    store.close();
  });
});

const INSERT = 'INSERT INTO item (id, trace, signal, span_id, digest, time_ns, rank) VALUES (?, 1, 0, ?, ?, 1, 4)';

describe('the index by span id', () => {
  let writer: StoreWriter;
  const spanOf = (id: number) => Buffer.from(idOf(id, 16), 'hex');
  const open = () => {
    writer = new StoreWriter({ dataDirectory: base, disk: systemDisk });
  };
  const reopen = () => {
    writer.close();
    open();
  };
  /** Ids of spans that are found by their span id. */
  const foundOf = (ids: readonly number[]) => {
    const reader = new ItemReader(writer.database, new BatchSource(writer.database, systemDisk, base));
    return ids.filter((id) => reader.findTrace('default', idOf(id, 16)) === idOf(1, 32));
  };
  const rowsOf = (sql: string) => writer.database.prepare(sql).all().map(Object.values);
  const insert = (ids: readonly number[]) => {
    writer.database.exec('BEGIN');
    const statement = writer.database.prepare(INSERT);
    for (const id of ids) statement.run(id, spanOf(id), Buffer.from(String(id)));
    writer.database.exec('COMMIT');
  };

  beforeEach(() => {
    open();
    writer.append([frameOf({ tenant: 'default', trace: 1, span: 0 }, 0)]);
  });
  afterEach(() => writer.close());

  it('has each entry in the part of its item, with none for parts in which there is no span', () => {
    const ids = [SPAN_PART_ITEMS - 1, SPAN_PART_ITEMS, 2 * SPAN_PART_ITEMS - 1, 5 * SPAN_PART_ITEMS + 7];
    const position = writer.database.prepare("SELECT value FROM state WHERE name = 'log'").get()?.value as Uint8Array;
    insert(ids);
    Buffer.from(position.buffer, position.byteOffset).writeBigUInt64LE(BigInt(6 * SPAN_PART_ITEMS), 24);
    // Without the checksum behind it, as earlier versions wrote it.
    writer.database.prepare("UPDATE state SET value = ? WHERE name = 'log'").run(position.subarray(0, 64));
    reopen();
    expect(rowsOf('SELECT part, id FROM item_span ORDER BY id')).toEqual([
      [0, 1],
      [0, ids[0]],
      [1, ids[1]],
      [1, ids[2]],
      [5, ids[3]],
    ]);
    expect(foundOf([...ids, 12])).toEqual(ids);
  });

  it('takes the place of that of an earlier version', () => {
    writer.database.exec(`DROP TABLE item_span; CREATE INDEX item_by_span_id ON item (span_id) WHERE signal = 0`);
    const ids = Array.from({ length: 10_000 }, (_, index) => index + 100);
    insert(ids);
    reopen();
    expect(rowsOf("SELECT name FROM sqlite_schema WHERE name = 'item_by_span_id'")).toEqual([]);
    expect(rowsOf('SELECT count(*) FROM item_span')).toEqual([[10_001]]);
    expect(foundOf([...ids.slice(-3), 12])).toEqual(ids.slice(-3));
    expect(verifySpanIndex(writer.database)).toEqual([]);
  });

  it('is checked: for spans that it lost, and for entries that lead nowhere', () => {
    writer.close();
    writer = new StoreWriter({ dataDirectory: base, disk: systemDisk, spanBatchItems: 1 });
    writer.append([frameOf({ tenant: 'default', trace: 1, span: 2 }, 2)]);
    writer.database.exec("UPDATE item_span SET span_id = x'0102030405060708' WHERE id = 2");
    expect(verifySpanIndex(writer.database)).toEqual([
      '1 spans are not found by their id',
      '1 entries by span id are of spans that are gone',
    ]);
  });
});
