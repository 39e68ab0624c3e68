import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeTracesProtobuf, walkTracesProtobuf } from '@reenact/otlp';
import { ReenactError } from '@reenact/trace-model';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unreadableRun } from '../query/summaries/run-summary.ts';
import { openStore } from './open-store.ts';
import { toSearchableTexts } from './search/searchable-texts.ts';
import type { RetentionPolicy, Store } from './store.ts';

const TENANT = 'default';
const RUNS = 60;
const WORDS_PER_RUN = 20_000;
const POLICY: RetentionPolicy = { graceMs: 0, ordinaryMs: 1e12, specialMs: 1e12, bytesMax: Number.POSITIVE_INFINITY };

let directory: string;
let store: Store;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'reenact-retention-'));
  store = await openStore(directory);
  await fill();
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Runs of one small span each, which a search finds by many words: all of them are in the search file, and next to nothing in packs. */
async function fill(): Promise<void> {
  for (let number = 1; number <= RUNS; number += 1) {
    const traceId = number.toString(16).padStart(32, '0');
    const spans = [{ traceId, spanId: 'b'.repeat(16), name: 'chat', startTimeUnixNano: '1', endTimeUnixNano: '2' }];
    const walked = walkTracesProtobuf(encodeTracesProtobuf({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
    if (!walked.ok) expect.fail(walked.problem.message);
    await store.appendSpans(TENANT, walked.spans, []);
  }
  const summaries = (await store.staleTraces(RUNS)).map((trace) => {
    const words = Array.from({ length: WORDS_PER_RUN }, () => Math.random().toString(36).slice(2, 8));
    const texts = toSearchableTexts([{ spanId: '', part: 'input', text: words.join(' ') }]);
    const run = unreadableRun(trace.traceId, '', 1, new ReenactError('internal', 'not the matter here'));
    return { trace, run: { ...run, texts } };
  });
  await store.writeSummaries(summaries);
  await store.settle();
}

/** What the directory takes once everything is given back that costs no run. */
async function leastBytes(): Promise<number> {
  await store.expire({ ...POLICY, graceMs: 1e12, bytesMax: 0 }, Date.now());
  return (await store.stats()).bytes;
}

const soon = () => Date.now() + 1_000;

describe('retention by size, where most of what runs have is in the search file', () => {
  it('gives up about as many runs as the size asks for, and not as many as have so much in packs', async () => {
    const bytes = await leastBytes();
    const bytesMax = Math.round(bytes * 0.75);
    const gone = await store.expire({ ...POLICY, bytesMax }, soon());
    const left = await store.stats();
    expect(left.bytes).toBeLessThanOrEqual(bytesMax);
    expect(gone).toBeLessThan(RUNS * 0.6);
    expect(left.traces).toBe(RUNS - gone);
  });

  it('gives up few for a little: the room between words that were taken out is given back before more go', async () => {
    const bytes = await leastBytes();
    const gone = await store.expire({ ...POLICY, bytesMax: Math.round(bytes * 0.94) }, soon());
    expect(gone).toBeLessThan(RUNS * 0.1);
  });

  it('ends behind the step in work when it is told to stop', async () => {
    await leastBytes();
    const stopped = AbortSignal.abort();
    expect(await store.expire({ ...POLICY, ordinaryMs: 0, bytesMax: 1, signal: stopped }, soon())).toBe(0);
    expect((await store.stats()).traces).toBe(RUNS);
  });

  it('leaves what has not settled where it is, too, when it is told to stop as it looks at the size', async () => {
    const traceId = 'c'.repeat(32);
    const spans = [{ traceId, spanId: 'b'.repeat(16), name: 'chat', startTimeUnixNano: '1', endTimeUnixNano: '2' }];
    const walked = walkTracesProtobuf(encodeTracesProtobuf({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
    await store.appendSpans(TENANT, walked.ok ? walked.spans : [], []);
    const stopping = new AbortController();
    const policy = {
      ...POLICY,
      signal: stopping.signal,
      get bytesMax() {
        stopping.abort();
        return 1;
      },
    };
    expect(await store.expire(policy, soon())).toBe(0);
    expect(await store.stats()).toMatchObject({ traces: RUNS + 1, unsettledBytes: expect.not.closeTo(0) as number });
  });
});
