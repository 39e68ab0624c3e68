import { type CollectorClient, createCollectorClient } from '@reenact/collector-client';
import type { TailEvent } from '@reenact/trace-model/collector-api';
import { afterEach, describe, expect, it } from 'vitest';
import { Testbed, traceIdOf } from '../testbed.ts';
import { type HeldContent, holdContent } from './held-content.ts';
import { crossingSpan, send } from './run-corpus.ts';

/** Until a tail that tells nothing is taken for one that never will. */
const VAIN_MS = 60_000;

const testbed = new Testbed();
let content: HeldContent | undefined;

afterEach(async () => {
  content?.release();
  await testbed.dispose();
  await content?.close();
});

/** A collector that answers as soon as may be, and a run with number 1 whose summary does not come. */
async function startWithHeldRun() {
  content = await holdContent();
  const { references } = content;
  const { httpUrl } = await testbed.start({ references, limits: { summaryWaitMs: 20 } });
  await send(httpUrl, [content.spanOf(1)]);
  await content.asked(1);
  return { httpUrl, held: content, client: createCollectorClient({ url: httpUrl }) };
}

interface Following {
  readonly from?: string | undefined;
  readonly onPlace?: () => void;
}

/** What a tail tells first, so many events, as words. */
async function told(client: CollectorClient, count: number, { from, onPlace }: Following = {}): Promise<string[]> {
  const words: string[] = [];
  const options = {
    signal: AbortSignal.timeout(VAIN_MS),
    lastEventId: from,
    ...(onPlace === undefined ? {} : { onPlace }),
  };
  for await (const event of client.followRuns({}, options)) {
    words.push(wordsOf(event));
    if (words.length === count) break;
  }
  return words;
}

function wordsOf({ event, data }: TailEvent): string {
  return 'traceId' in data ? `${event} ${data.traceId}` : event;
}

describe('a tail from where a list was', () => {
  it('tells a run that was acknowledged before the list and summarised behind the beginning of the tail', async () => {
    const { client, held } = await startWithHeldRun();
    const { runs, unsummarisedRuns, unsummarisedTraceIds, followFrom } = await client.listRuns();
    expect({ runs, unsummarisedRuns, unsummarisedTraceIds }).toEqual({
      runs: [],
      unsummarisedRuns: 1,
      unsummarisedTraceIds: [traceIdOf(1)],
    });
    const onPlace = () => held.release();
    expect(await told(client, 1, { from: followFrom, onPlace })).toEqual([`run ${traceIdOf(1)}`]);
  });

  it('tells what came since, and nothing that the list has', async () => {
    const { httpUrl } = await testbed.start();
    const client = createCollectorClient({ url: httpUrl });
    await send(httpUrl, [crossingSpan({ trace: 1, span: 1 }), crossingSpan({ trace: 2, span: 2 })]);
    const { runs, followFrom } = await client.listRuns();
    expect(runs).toHaveLength(2);
    await send(httpUrl, [crossingSpan({ trace: 3, span: 3 })]);
    expect(await told(client, 1, { from: followFrom })).toEqual([`run ${traceIdOf(3)}`]);
  });

  it('tells all that wait as they are summarised, where very many do', async () => {
    const { client, httpUrl, held } = await startWithHeldRun();
    const numbers = Array.from({ length: 200 }, (_, index) => index + 2);
    await send(httpUrl, numbers.map(held.spanOf));
    const { unsummarisedRuns, unsummarisedTraceIds = [], followFrom } = await client.listRuns();
    expect(unsummarisedRuns).toBe(201);
    expect(unsummarisedTraceIds).toEqual(numbers.toReversed().slice(0, 64).map(traceIdOf));
    held.release();
    const all = [1, ...numbers].map((number) => `run ${traceIdOf(number)}`);
    expect((await told(client, 201, { from: followFrom })).toSorted()).toEqual(all.toSorted());
  });
});

describe('a tail and a run whose summary does not come', () => {
  it('tells other runs all the same where it begins behind that one', async () => {
    const { client, httpUrl } = await startWithHeldRun();
    let isSent = false;
    const onPlace = () => {
      if (!isSent) void send(httpUrl, [crossingSpan({ trace: 2, span: 2 })]);
      isSent = true;
    };
    expect(await told(client, 1, { onPlace })).toEqual([`run ${traceIdOf(2)}`]);
  });

  it('tells what is summarised behind it at once, and that one when it is', async () => {
    const { client, httpUrl, held } = await startWithHeldRun();
    await send(httpUrl, [crossingSpan({ trace: 2, span: 2 })]);
    const ending = new AbortController();
    const words: string[] = [];
    for await (const event of client.followRuns({}, { signal: ending.signal, lastEventId: '0' })) {
      words.push(wordsOf(event));
      held.release();
      if (words.length === 2) break;
    }
    expect(words).toEqual([`run ${traceIdOf(2)}`, `run ${traceIdOf(1)}`]);
  });

  it('tells the last one of a run that goes on faster than it is summarised', async () => {
    const { client, httpUrl, held } = await startWithHeldRun();
    const last = await client.listRuns();
    await send(httpUrl, [{ ...held.spanOf(2), traceId: traceIdOf(1) }]);
    held.releaseOf(1);
    // The next one waits for the content of the second span, and that does not come.
    const options = { signal: AbortSignal.timeout(VAIN_MS), lastEventId: last.followFrom };
    let event: TailEvent | undefined;
    for await (event of client.followRuns({}, options)) break;
    expect(event).toMatchObject({ event: 'run', data: { traceId: traceIdOf(1), spanCount: 1 } });
  });
});
