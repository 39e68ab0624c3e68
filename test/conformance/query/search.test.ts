import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyStore } from '@reenact/collector';
import { createCollectorClient } from '@reenact/collector-client';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import { afterAll, describe, expect, it } from 'vitest';
import { spanIdOf, Testbed, traceIdOf } from '../testbed.ts';
import { crossingSpan, send } from './run-corpus.ts';

const testbed = new Testbed();
afterAll(() => testbed.dispose());

const CONVERSATION = ['Sell $1,000 worth of Zürich shares', '株を売ってください', 'x'.repeat(4000)];

async function startWithRuns() {
  const collector = await testbed.start();
  const client = createCollectorClient({ url: collector.httpUrl });
  await send(collector.httpUrl, [
    crossingSpan({ trace: 1, span: 10, kind: 'agent', name: 'trader', input: [CONVERSATION[0]], output: 'done' }),
    // Every step sends the conversation again.
    crossingSpan({ trace: 1, span: 11, parent: 10, input: [{ messages: CONVERSATION }], output: { sold: 1000 } }),
    crossingSpan({ trace: 1, span: 12, parent: 10, input: [{ messages: [...CONVERSATION, 'thanks'] }], output: 'bye' }),
  ]);
  const failed = { status: { code: 2 as const, message: 'the broker hung up' } };
  await send(collector.httpUrl, [
    crossingSpan({ trace: 2, span: 20, atSecond: 9, input: ['shares of what?'], members: failed }),
  ]);
  return { collector, client };
}

describe('search', () => {
  it('finds words, phrases, beginnings, other scripts and errors, without case and accents', async () => {
    const { client } = await startWithRuns();
    const found = async (text: string) =>
      (await client.searchRuns({ text })).found.map(({ run }) => Number.parseInt(run.traceId.slice(1), 16));
    expect(await found('SHARES')).toEqual([2, 1]);
    expect(await found('zurich shares')).toEqual([1]);
    expect(await found('"worth of zurich"')).toEqual([1]);
    expect(await found('"zurich worth"')).toEqual([]);
    expect(await found('zuri*')).toEqual([1]);
    expect(await found('zuri')).toEqual([]);
    expect(await found('1,000')).toEqual([1]);
    expect(await found('売って')).toEqual([1]);
    expect(await found('broker hung')).toEqual([2]);
    expect(await found('messages')).toEqual([]);
  });

  it('shows where the words stand, each place once', async () => {
    const { client } = await startWithRuns();
    const [found] = (await client.searchRuns({ text: 'zurich', trace: traceIdOf(1) })).found;
    expect(found?.hits).toHaveLength(1);
    expect(found?.hits[0]).toEqual({
      spanId: spanIdOf(10),
      part: 'input',
      snippet: [
        { text: 'Sell $1,000 worth of ', isMatch: false },
        { text: 'Zürich', isMatch: true },
        { text: ' shares', isMatch: false },
      ],
    });
    const [later] = (await client.searchRuns({ text: 'thanks' })).found;
    expect(later?.hits.map(({ spanId }) => spanId)).toEqual([spanIdOf(12)]);
  });

  it('knows what a span that arrives late says, and says so of words that cannot be sought', async () => {
    const { client, collector } = await startWithRuns();
    await send(collector.httpUrl, [crossingSpan({ trace: 1, span: 13, parent: 10, output: 'giraffe' })]);
    expect((await client.listRuns({ text: 'giraffe zurich' })).runs).toHaveLength(1);
    await expect(client.searchRuns({ text: '*' })).rejects.toMatchObject({ code: 'bad-request' });
  });

  it('can be switched off, which removes the text, and on again, which brings it back', async () => {
    const { collector } = await startWithRuns();
    const { dataDirectory } = collector;
    const saidIn = (runs: readonly RunSummary[]) =>
      runs.flatMap(({ asked, answered }) => [asked, answered]).filter((text) => text !== undefined);
    const kept = await createCollectorClient({ url: collector.httpUrl }).listRuns({ text: 'zurich' });
    expect(kept.runs).toHaveLength(1);
    const said = saidIn(kept.runs);
    expect(said.length).toBeGreaterThan(0);
    await collector.stop();
    const off = await testbed.start({ dataDirectory, search: { isOn: false } });
    const silent = createCollectorClient({ url: off.httpUrl });
    await expect(silent.listRuns({ text: 'zurich' })).rejects.toMatchObject({ code: 'bad-request' });
    const withoutText = (await silent.listRuns()).runs;
    expect([withoutText.length, saidIn(withoutText)]).toEqual([2, []]);
    await off.stop();
    expect(verifyStore(dataDirectory).problems).toEqual([]);
    for (const text of said) expect(readFileSync(join(dataDirectory, 'index.sqlite')).includes(text)).toBe(false);
    const on = createCollectorClient({ url: (await testbed.start({ dataDirectory })).httpUrl });
    const again = await on.listRuns({ text: 'zurich' });
    expect([again.runs.length, saidIn(again.runs)]).toEqual([1, said]);
  });
});
