import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReenactError } from '@reenact/trace-model';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { unreadableRun } from '../../query/summaries/run-summary.ts';
import { resetSummaries } from '../database/reset-summaries.ts';
import { systemDisk } from '../files/disk.ts';
import { RunIndex } from '../index/run-index.ts';
import { encodeBatch } from '../log/batch.ts';
import { FRAME_HEADER_BYTES } from '../log/frame.ts';
import type { SummarisedTrace } from '../store.ts';
import { StoreWriter } from './store-writer.ts';

const TENANT = 'default';

let directory: string;
let writer: StoreWriter;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reenact-summaries-'));
  writer = new StoreWriter({ dataDirectory: directory, disk: systemDisk });
});
afterEach(() => {
  writer.close();
  rmSync(directory, { recursive: true });
});

function traceIdOf(number: number): string {
  return number.toString(16).padStart(32, '0');
}

function append(traceNumber: number, spanNumber = 1, signal: 0 | 1 = 0): void {
  const none = { format: 'protobuf', schemaUrl: '', bytes: new Uint8Array(0) } as const;
  const item = {
    id: 0,
    signal,
    traceId: traceIdOf(traceNumber),
    spanId: spanNumber.toString(16).padStart(16, '0'),
    timeNs: 1n,
    rank: 4,
    format: 'protobuf',
    resource: 0,
    scope: 0,
    bytes: Buffer.from(`span ${spanNumber}`),
  } as const;
  const batch = { tenant: TENANT, destinations: [], groups: [none], items: [item] };
  writer.append([encodeBatch(batch, 0, FRAME_HEADER_BYTES)]);
}

/** Of everything stale, as it is now. */
function summaries(): SummarisedTrace[] {
  const stale = new RunIndex(writer.database).stale(100, -1);
  return stale.map((trace) => ({
    trace,
    run: unreadableRun(trace.traceId, '', 1, new ReenactError('internal', 'not the matter here')),
  }));
}

it('writes no more summaries than fit into the time, and one in any case', () => {
  for (const number of [1, 2, 3]) append(number);
  expect(writer.writeSummaries({ summaries: summaries(), searchGeneration: 0 }, 0)).toBe(1);
  expect(summaries().map(({ trace }) => trace.traceId)).toEqual([traceIdOf(2), traceIdOf(3)]);
  expect(writer.writeSummaries({ summaries: summaries(), searchGeneration: 0 }, 60_000)).toBe(2);
  expect(summaries()).toEqual([]);
});

it('replaces a summary by one of the same revision, as of a run whose content was to be had later, and by none of an earlier one', () => {
  append(1);
  const first = summaries();
  append(1, 2);
  const second = summaries();
  const name = (made: SummarisedTrace[], service: string): SummarisedTrace[] =>
    made.map(({ trace, run }) => ({ trace, run: { ...run, summary: { ...run.summary, service } } }));
  const listed = () => new RunIndex(writer.database).list(TENANT, {}, 9).runs.map(({ service }) => service);
  for (const [made, service, expected] of [
    [second, 'without', 'without'],
    [second, 'with', 'with'],
    [first, 'earlier', 'with'],
  ] as const) {
    writer.writeSummaries({ summaries: name([...made], service), searchGeneration: 0 }, 60_000);
    expect(listed()).toEqual([expected]);
  }
});

it('tells no run anew that another version only summarises again, and each that has changed since', () => {
  for (const number of [1, 2]) append(number);
  writer.writeSummaries({ summaries: summaries(), searchGeneration: 0 }, 60_000);
  const last = new RunIndex(writer.database).lastSummary();
  for (const what of ['all', 'revisions'] as const) {
    resetSummaries(writer.database, what);
    const made = summaries();
    expect(made).toHaveLength(2);
    writer.writeSummaries({ summaries: made, searchGeneration: 0 }, 60_000);
    expect(new RunIndex(writer.database).summarised(TENANT, {}, last, 9)).toEqual([]);
    expect(new RunIndex(writer.database).summarised(TENANT, {}, 0, 9)).toHaveLength(2);
  }
  resetSummaries(writer.database, 'all');
  append(2, 3);
  writer.writeSummaries({ summaries: summaries(), searchGeneration: 0 }, 60_000);
  const told = new RunIndex(writer.database).summarised(TENANT, {}, last, 9);
  expect(told.map(({ summary }) => summary.traceId)).toEqual([traceIdOf(2)]);
});

it('keeps no summary of what was deleted since, also where the trace has come again', () => {
  append(1);
  append(1, 2);
  const made = summaries();
  writer.control({ type: 'erase', traces: [[TENANT, traceIdOf(1)]], isUrgent: false });
  append(1, 3);
  writer.writeSummaries({ summaries: made, searchGeneration: 0 }, 60_000);
  expect(new RunIndex(writer.database).list(TENANT, {}, 9).runs).toEqual([]);
  expect(summaries().map(({ trace }) => trace.revision)).toEqual([1]);
});

it('waits for no summary of log records that are all a deletion has left of a run', () => {
  append(1);
  writer.writeSummaries({ summaries: summaries(), searchGeneration: 0 }, 60_000);
  append(1, 2, 1);
  writer.eraser.erase(TENANT, traceIdOf(1), 2, false);
  expect(new RunIndex(writer.database).countStale(TENANT)).toBe(0);
  append(1, 3);
  expect(new RunIndex(writer.database).countStale(TENANT)).toBe(1);
});

it('tells a summary that comes out as it was only once, as of a run whose content stays away', () => {
  append(1);
  append(2);
  const [made, other] = summaries();
  if (made === undefined || other === undefined) throw new Error('There are no two runs.');
  const write = (summary: SummarisedTrace): void => {
    writer.writeSummaries({ summaries: [summary], searchGeneration: 0 }, 60_000);
  };
  const told = (after: number) => new RunIndex(writer.database).summarised(TENANT, {}, after, 9);
  write(made);
  write(other);
  const [first, last] = told(0).map(({ number }) => number);
  write(made);
  expect(told(0).map(({ number }) => number)).toEqual([first, last]);
  write({ ...made, run: { ...made.run, summary: { ...made.run.summary, service: 'with its content' } } });
  expect(told(last ?? 0)).toEqual([
    { number: expect.any(Number), summary: expect.objectContaining({ service: 'with its content' }) },
  ]);
});
