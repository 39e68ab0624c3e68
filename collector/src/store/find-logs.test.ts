import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { walkLogsJson } from '@reenact/otlp';
import { expect, it } from 'vitest';
import { openStore } from './open-store.ts';

const TENANT = 'default';
const TRACE_ID = '01'.repeat(16);

it('names records that cannot be read by their run, or by their day where they have none', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'reenact-find-logs-'));
  const store = await openStore(directory);
  try {
    const logRecords = [{ traceId: TRACE_ID, timeUnixNano: '1' }, { timeUnixNano: '2' }];
    const walked = walkLogsJson(Buffer.from(JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] })));
    if (!walked.ok) expect.fail(walked.problem.message);
    await store.appendLogs(TENANT, walked.records, [], []);
    const unreadable = (): never => {
      throw new TypeError('not what was written');
    };
    expect(await store.findLogs(TENANT, unreadable)).toEqual({
      traceIds: [],
      records: [],
      unreadTraceIds: [TRACE_ID],
      unreadDays: [expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/)],
    });
  } finally {
    await store.close();
    rmSync(directory, { recursive: true });
  }
});

it('holds no more of large records at one time than a few megabytes', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'reenact-find-logs-'));
  const store = await openStore(directory);
  try {
    for (let number = 1; number <= 7; number += 1) {
      const body = { stringValue: 'a'.repeat(3_000_000) };
      const logRecords = [{ traceId: TRACE_ID, timeUnixNano: String(number), body }];
      const walked = walkLogsJson(Buffer.from(JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] })));
      if (!walked.ok) expect.fail(walked.problem.message);
      await store.appendLogs(TENANT, walked.records, [], []);
    }
    const counts: number[] = [];
    await store.findLogs(TENANT, (records) => {
      counts.push(records.length);
      return false;
    });
    expect(counts).toEqual([3, 3, 1]);
  } finally {
    await store.close();
    rmSync(directory, { recursive: true });
  }
});
