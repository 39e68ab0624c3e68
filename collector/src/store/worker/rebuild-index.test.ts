import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeTracesProtobuf, walkTracesProtobuf } from '@reenact/otlp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { INDEX_FILE } from '../database/schema.ts';
import { systemDisk } from '../files/disk.ts';
import { openIndexForReading } from '../index/open-index.ts';
import { Settler } from '../pack/settler.ts';
import { spansToFrame } from '../to-frame.ts';
import { verifyStore } from '../verify/verify-store.ts';
import { StoreWriter } from './store-writer.ts';

const TENANT = 'default';
const TRACE = 'a'.repeat(32);

let folder: string;
let writer: StoreWriter;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reenact-rebuild-'));
  open();
});
afterEach(() => {
  writer.close();
  rmSync(folder, { recursive: true });
});

function open(): void {
  writer = new StoreWriter({ dataDirectory: folder, disk: systemDisk });
}

/** Receives a span of the trace that starts at so many nanoseconds. */
function receive(startNs: number): void {
  const [startTimeUnixNano, endTimeUnixNano] = [String(startNs), String(startNs + 1)];
  const span = { traceId: TRACE, spanId: 'b'.repeat(16), name: 'x', startTimeUnixNano, endTimeUnixNano };
  const walked = walkTracesProtobuf(encodeTracesProtobuf({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }));
  if (!walked.ok) expect.fail(walked.problem.message);
  writer.append([spansToFrame(TENANT, walked.spans, { destinations: [] })]);
}

const keep = (reason: string) => writer.control({ type: 'keep', tenant: TENANT, traceId: TRACE, reason });
const erase = () => writer.control({ type: 'erase', traces: [[TENANT, TRACE]], isUrgent: true });

/** Settles what there is; `isBooked`: whether the process lives to book it. */
function settle(isBooked: boolean): void {
  const plan = writer.book.plan('everything', 0);
  if (plan === undefined) expect.fail('nothing to settle');
  const database = openIndexForReading(folder);
  const settlement = new Settler(database, systemDisk, folder).settle(plan);
  database.close();
  if (!isBooked) return;
  const steps = writer.book.apply(settlement);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  writer.book.release(step.value);
}

function makeIndexAgain(): void {
  writer.close();
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(folder, `${INDEX_FILE}${suffix}`), { force: true });
  open();
}

const row = () => writer.database.prepare('SELECT start_ns, kept FROM trace').get();

describe.each([true, false])(
  'a trace that was kept and deleted and came again, its settlement booked: %s',
  (isBooked) => {
    beforeEach(() => {
      receive(1);
      keep('incident');
      erase();
      receive(5);
      settle(isBooked);
    });

    it('is what came again alone in an index that is made again', () => {
      makeIndexAgain();
      expect(row()).toEqual({ start_ns: 5, kept: null });
      writer.close();
      expect(verifyStore(folder).problems).toEqual([]);
    });

    it('is kept where that was asked for since', () => {
      keep('again');
      makeIndexAgain();
      expect(row()).toEqual({ start_ns: 5, kept: 'again' });
    });
  },
);
