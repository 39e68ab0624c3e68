import { type CollectorClient, createCollectorClient } from '@reenact/collector-client';
import type { RunList } from '@reenact/trace-model/collector-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually, spanIdOf, Testbed, traceIdOf } from '../testbed.ts';
import { crossingSpan, send } from './run-corpus.ts';

const RUNS = 40;

const testbed = new Testbed();
let client: CollectorClient;

/** Has every question answered at once, which is before the first summary. */
beforeEach(async () => {
  const { httpUrl } = await testbed.start({ limits: { summaryWaitMs: 0 } });
  client = createCollectorClient({ url: httpUrl });
  const numbers = Array.from({ length: RUNS }, (_, index) => index + 1);
  const spans = numbers.map((number) => crossingSpan({ trace: number, span: number, atSecond: number, name: 'usual' }));
  await send(httpUrl, spans);
});
afterEach(() => testbed.dispose());

describe('answers that are made of summaries', () => {
  const questions: readonly (readonly [
    string,
    (asked: CollectorClient) => Promise<Pick<RunList, 'unsummarisedRuns'>>,
  ])[] = [
    ['a list', (asked) => asked.listRuns()],
    ['a search', (asked) => asked.searchRuns({ text: 'usual' })],
    ['drift', (asked) => asked.listDrift()],
    ['usage', (asked) => asked.sumUsage()],
  ];

  it.each(questions)('say how many runs they lack, and later nothing: %s', async (_, ask) => {
    expect(await ask(client)).toMatchObject({ unsummarisedRuns: RUNS });
    await eventually('all summaries', async () => (await ask(client)).unsummarisedRuns === undefined);
    const { runs } = await client.listRuns();
    expect(runs).toHaveLength(RUNS);
    expect(await client.sumUsage()).toMatchObject({ runs: RUNS });
  });

  it('do not deny a run that only waits for its summary', async () => {
    await expect(client.getRun(spanIdOf(7))).rejects.toMatchObject({ code: 'store-busy', retryable: true });
    const tree = await eventually('the summary', () => client.getRun(spanIdOf(7)).catch(() => undefined));
    expect(tree.run).toMatchObject({ traceId: traceIdOf(7), crossingCount: 1 });
    await expect(client.getRun(traceIdOf(RUNS + 1))).rejects.toMatchObject({ code: 'not-found' });
  });
});
