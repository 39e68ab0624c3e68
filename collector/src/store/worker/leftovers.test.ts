import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeTracesProtobuf, walkTracesProtobuf } from '@reenact/otlp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemDisk } from '../files/disk.ts';
import { spansToFrame } from '../to-frame.ts';
import { verifyStore } from '../verify/verify-store.ts';
import { StoreWriter } from './store-writer.ts';

let folder: string;
let writer: StoreWriter;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reenact-leftovers-'));
  writer = new StoreWriter({ dataDirectory: folder, disk: systemDisk });
});
afterEach(() => {
  writer.close();
  rmSync(folder, { recursive: true });
});

function addRun(): void {
  const spans = [
    { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), name: 'span', startTimeUnixNano: '1', endTimeUnixNano: '2' },
  ];
  const walked = walkTracesProtobuf(encodeTracesProtobuf({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
  if (!walked.ok) expect.fail(walked.problem.message);
  writer.append([spansToFrame('default', walked.spans, { destinations: [] })]);
}

const segments = () => readdirSync(join(folder, 'log'));

describe('a start whose index says that more has settled than has', () => {
  it('removes no part of the log that the index still leads to, and a check names it', () => {
    addRun();
    writer.book.seal();
    const before = segments();
    writer.database.exec("INSERT OR REPLACE INTO state VALUES ('settled_segment', 64)");
    writer.close();
    writer = new StoreWriter({ dataDirectory: folder, disk: systemDisk });
    expect(segments()).toEqual(before);
    writer.close();
    const { problems, items } = verifyStore(folder);
    expect(items).toBe(1);
    expect(problems.map(({ what }) => what)).toContain('1 frames of the log are noted as settled, and are not');
  });
});
