import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeLogsProtobuf, type LogRecord, walkLogsProtobuf } from '@reenact/otlp';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { INDEX_FILE } from '../database/schema.ts';
import { systemDisk } from '../files/disk.ts';
import { logsToFrame } from '../to-frame.ts';
import { StoreWriter } from './store-writer.ts';

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 10, 1, 12);
const TIMES = { graceMs: 7 * DAY_MS, ordinaryMs: 30 * DAY_MS, specialMs: 365 * DAY_MS };
const TRACE = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };

let folder: string;
let writer: StoreWriter;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: START_MS });
  folder = mkdtempSync(join(tmpdir(), 'reenact-log-receipt-'));
  open();
});
afterEach(() => {
  vi.useRealTimers();
  writer.close();
  rmSync(folder, { recursive: true });
});

function open(): void {
  writer = new StoreWriter({ dataDirectory: folder, disk: systemDisk });
}

/** Receives a record so many days after the first, for a destination that is down. */
function receive(day: number, text: string, of: Partial<LogRecord> = {}): void {
  vi.setSystemTime(START_MS + day * DAY_MS);
  const record = { timeUnixNano: '1', body: { stringValue: text }, ...of };
  const walked = walkLogsProtobuf(encodeLogsProtobuf({ resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] }));
  if (!walked.ok) expect.fail(walked.problem.message);
  writer.append([logsToFrame('default', walked.records, { destinations: ['jaeger'] })]);
}

/** How many records went, so many days after the first. */
function thinOut(day: number): number {
  const nowMs = START_MS + day * DAY_MS;
  const traces = writer.eraser.expired(nowMs, { nowMs, corrections: [] }, TIMES);
  return writer.control({ type: 'erase', traces, isUrgent: false }).items;
}

const count = (table: 'item' | 'queue') =>
  Number(writer.database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n);

describe('what decides how long log records stay', () => {
  it('is when each came, where they name no trace: those within the grace window stay, and stay queued', () => {
    receive(0, 'old');
    receive(31, 'young');
    expect(thinOut(31)).toBe(1);
    expect([count('item'), count('queue')]).toEqual([1, 1]);
    expect(thinOut(62)).toBe(1);
  });

  it('is when the last came, where they name one', () => {
    receive(0, 'first', TRACE);
    receive(29, 'second', TRACE);
    expect(thinOut(31)).toBe(0);
    expect(thinOut(60)).toBe(2);
  });

  it('is the same after the index was made again', () => {
    receive(0, 'old');
    receive(31, 'young');
    thinOut(31);
    writer.close();
    rmSync(join(folder, INDEX_FILE));
    open();
    expect([count('item'), thinOut(31)]).toEqual([1, 0]);
    expect(thinOut(62)).toBe(1);
  });

  it('is the time of the upgrade for what an earlier version kept in one row', () => {
    receive(0, 'old');
    writer.database.exec("UPDATE trace SET trace_id = x''");
    writer.close();
    vi.setSystemTime(START_MS + 31 * DAY_MS);
    open();
    expect([thinOut(31), count('item')]).toEqual([0, 1]);
    expect(thinOut(62)).toBe(1);
  });
});
