import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeTracesProtobuf, type SpanSlice, walkTracesProtobuf } from '@reenact/otlp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemDisk } from '../files/disk.ts';
import { EXPIRE_ITEMS_PER_STEP } from '../limits.ts';
import { openStore } from '../open-store.ts';
import { spansToFrame } from '../to-frame.ts';
import { StoreWriter } from './store-writer.ts';

const DAY_MS = 86_400_000;
const TIMES = { graceMs: 0, ordinaryMs: DAY_MS, specialMs: DAY_MS };

let folder: string;
let writer: StoreWriter;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reenact-steps-'));
  writer = new StoreWriter({ dataDirectory: folder, disk: systemDisk });
});
afterEach(() => {
  writer.close();
  rmSync(folder, { recursive: true });
});

const idOf = (number: number, digits: number) => number.toString(16).padStart(digits, '0');

function slicesOf(number: number, spanCount: number): readonly SpanSlice[] {
  const spans = Array.from({ length: spanCount }, (_, index) => ({
    traceId: idOf(number, 32),
    spanId: idOf(index + 1, 16),
    name: 'span',
    startTimeUnixNano: '1',
    endTimeUnixNano: '2',
  }));
  const walked = walkTracesProtobuf(encodeTracesProtobuf({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
  if (!walked.ok) expect.fail(walked.problem.message);
  return walked.spans;
}

function addRun(number: number, spanCount: number): void {
  writer.append([spansToFrame('default', slicesOf(number, spanCount), { destinations: [] })]);
}

/** How many runs each step of thinning out deletes. */
function steps(): number[] {
  const taken: number[] = [];
  for (;;) {
    const nowMs = Date.now() + 2 * DAY_MS;
    const traces = writer.eraser.expired(nowMs, { nowMs, corrections: [] }, TIMES);
    if (traces.length === 0) return taken;
    writer.control({ type: 'erase', traces, isUrgent: false });
    taken.push(traces.length);
  }
}

describe('a step of thinning out', () => {
  it('takes no more than so many spans together, during which nothing is received', () => {
    for (const number of [1, 2, 3]) addRun(number, EXPIRE_ITEMS_PER_STEP * 0.4);
    expect(steps()).toEqual([2, 1]);
  });

  it('takes a run that has more as a whole', () => {
    addRun(1, EXPIRE_ITEMS_PER_STEP + 1);
    addRun(2, 1);
    expect(steps()).toEqual([1, 1]);
  });
});

it('a deletion that somebody asks for is taken in as many steps', async () => {
  const store = await openStore(join(folder, 'asked'));
  try {
    const spanCount = EXPIRE_ITEMS_PER_STEP * 0.4;
    for (const number of [1, 2, 3]) await store.appendSpans('default', slicesOf(number, spanCount), []);
    const { commits } = await store.stats();
    const traces = [1, 2, 3, 4].map((number) => ['default', idOf(number, 32)] as const);
    expect(await store.erase(traces)).toBe(3 * spanCount);
    const after = await store.stats();
    expect({ steps: after.commits - commits, spans: after.spans }).toEqual({ steps: 2, spans: 0 });
  } finally {
    await store.close();
  }
});
