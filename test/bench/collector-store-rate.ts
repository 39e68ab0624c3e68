import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Disk, StoreWriter, spansToFrame, systemDisk } from '@reenact/collector/testing';
import type { SpanSlice } from '@reenact/otlp';
import { AgentConversations, rawBytesOf, sliceSpans } from './agent-conversations.ts';
import { type BenchResult, type BenchSize, medianOf } from './bench-result.ts';

const SPAN_CHARACTERS = 30_000;
const SPANS_PER_REQUEST = 8;
const REQUESTS_PER_COMMIT = 8;
const SHARE_GOAL = 0.35;

const unsyncedDisk: Disk = { ...systemDisk, sync: () => undefined, syncDirectory: () => undefined };

/** Requests of 8 spans of 30 KB, every span new. */
function makeRequest(conversations: AgentConversations, first: number): readonly SpanSlice[] {
  const spans = Array.from({ length: SPANS_PER_REQUEST }, (_, index) => ({
    traceId: `c${(first >> 3).toString(16).padStart(31, '0')}`,
    spanId: `d${(first + index).toString(16).padStart(15, '0')}`,
    name: 'chat',
    kind: 1,
    startTimeUnixNano: '1763700000000000001',
    endTimeUnixNano: '1763700001000000002',
    attributes: [{ key: 'content', value: { stringValue: conversations.text(SPAN_CHARACTERS) } }],
  }));
  return sliceSpans('rate', spans);
}

/** Megabytes per second of one writer on a fresh directory. */
function rateOf(disk: Disk, groups: readonly (readonly (readonly SpanSlice[])[])[]): number {
  const directory = mkdtempSync(join(tmpdir(), 'reenact-bench-rate-'));
  const writer = new StoreWriter({ dataDirectory: directory, disk });
  try {
    const startedAt = performance.now();
    for (const group of groups)
      writer.append(group.map((spans) => spansToFrame('default', spans, { destinations: [] })));
    const seconds = (performance.now() - startedAt) / 1000;
    const bytes = groups.flat().reduce((sum, spans) => sum + rawBytesOf(spans), 0);
    return bytes / 1e6 / seconds;
  } finally {
    writer.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** What syncing before the acknowledgement costs, against the same writer that never syncs. */
export async function collectorStoreRate({ isSmoke }: BenchSize): Promise<BenchResult> {
  const rounds = isSmoke ? 1 : 7;
  const commits = isSmoke ? 2 : 40;
  const conversations = new AgentConversations({ steps: 1, textCharactersMax: 1 });
  let next = 0;
  const groups = Array.from({ length: commits }, () =>
    Array.from({ length: REQUESTS_PER_COMMIT }, () => {
      next += SPANS_PER_REQUEST;
      return makeRequest(conversations, next);
    }),
  );
  rateOf(unsyncedDisk, groups.slice(0, 2));
  const durable: number[] = [];
  const unsynced: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    durable.push(rateOf(systemDisk, groups));
    unsynced.push(rateOf(unsyncedDisk, groups));
  }
  const share = medianOf(durable) / medianOf(unsynced);
  return {
    name: 'rate',
    what: `${commits} commits of ${REQUESTS_PER_COMMIT} requests of ${SPANS_PER_REQUEST} spans of 30 KB, ${rounds} interleaved rounds, one thread: index, digests, chain and write included`,
    figures: [
      {
        name: 'durable rate as a share of the rate without syncs',
        value: share,
        unit: '',
        goal: { words: `at least ${SHARE_GOAL}`, isMet: share >= SHARE_GOAL },
      },
      { name: 'durable', value: medianOf(durable), unit: 'MB/s' },
      { name: 'without syncs', value: medianOf(unsynced), unit: 'MB/s' },
    ],
  };
}
