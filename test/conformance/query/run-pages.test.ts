import type { RunningCollector } from '@reenact/collector';
import { createCollectorClient } from '@reenact/collector-client';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, Testbed, traceIdOf } from '../testbed.ts';
import { crossingSpan, send } from './run-corpus.ts';

const RUNS = 10_000;
const PER_REQUEST = 500;
const setUpMs = 400_000;

const testbed = new Testbed();
let collector: RunningCollector;

/** Runs of these numbers, each of one span, which starts at its number in seconds. */
async function addRuns(numbers: readonly number[], atSecond = (number: number) => number): Promise<void> {
  const spans = numbers.map((number) =>
    crossingSpan({
      trace: number,
      span: number,
      atSecond: atSecond(number),
      name: number % 1000 === 7 ? 'rare' : 'usual',
    }),
  );
  await send(collector.httpUrl, spans);
}

beforeAll(async () => {
  collector = await testbed.start();
  for (let from = 1; from <= RUNS; from += PER_REQUEST) {
    await addRuns(Array.from({ length: PER_REQUEST }, (_, index) => from + index));
  }
  const client = createCollectorClient({ url: collector.httpUrl });
  const isWhole = async () => (await client.listRuns({ limit: 1 })).unsummarisedRuns === undefined;
  await eventually('ten thousand summaries', isWhole, setUpMs);
}, setUpMs);
afterAll(() => testbed.dispose());

/** Reads page after page, and does something between two of them. */
async function readPages(between: (page: number) => Promise<void>): Promise<RunSummary[]> {
  const client = createCollectorClient({ url: collector.httpUrl });
  const found: RunSummary[] = [];
  let cursor: string | undefined;
  for (let page = 1; ; page += 1) {
    const list = await client.listRuns({ limit: 500, ...(cursor === undefined ? {} : { cursor }) });
    found.push(...list.runs);
    if (list.nextCursor === undefined) return found;
    cursor = list.nextCursor;
    await between(page);
  }
}

describe('ten thousand runs', () => {
  it(
    'come page by page, each once and in order, while newer and older ones arrive',
    async () => {
      const found = await readPages(async (page) => {
        await addRuns([RUNS + page], (number) => number);
        // One that started before everything else: it belongs to a page that is still to come.
        await addRuns([2 * RUNS + page], () => -page);
      });
      const ids = found.map(({ traceId }) => traceId);
      expect(new Set(ids).size).toBe(ids.length);
      const wanted = Array.from({ length: RUNS }, (_, index) => traceIdOf(RUNS - index));
      expect(ids.filter((id) => Number.parseInt(id.slice(1), 16) <= RUNS)).toEqual(wanted);
      const starts = found.map(({ startedAt }) => startedAt);
      expect(starts).toEqual(starts.toSorted().reverse());
    },
    setUpMs,
  );

  it('are found by what few of them have as well as by what all have', async () => {
    const client = createCollectorClient({ url: collector.httpUrl });
    const rare = await client.listRuns({ name: 'rare', limit: 500 });
    expect(rare.runs.filter(({ traceId }) => Number.parseInt(traceId.slice(1), 16) <= RUNS)).toHaveLength(RUNS / 1000);
    const both = await client.listRuns({ tool: 'usual', kind: 'tool', limit: 3 });
    expect(both.runs).toHaveLength(3);
  });
});
