import { readFileSync } from 'node:fs';
import { createCollectorClient } from '@reenact/collector-client';
import { PAGE_DIRECTORY } from '@reenact/ui';
import { afterAll, describe, expect, it } from 'vitest';
import { makeSpan, postSpans, spanIdOf, Testbed, textAttributes, traceIdOf } from '../../conformance/testbed.ts';
import { findBrowser } from './find-browser.ts';
import { suiteBrowser } from './suite-browser.ts';
import { openWatched } from './watched-page.ts';

const program = findBrowser();

const recorded = [
  ['OpenInference', 'openinference/testdata/openai-python.jsonl'],
  ['OpenLLMetry', 'openllmetry/testdata/traceloop-node.jsonl'],
  ["the AI SDK's telemetry", 'ai-sdk/testdata/ai-6.jsonl'],
] as const;

const headers = { 'content-type': 'application/json' };

/** Sends what a real instrumentation sent. */
async function sendFixture(httpUrl: string, name: string): Promise<void> {
  const text = readFileSync(new URL(`../../../packages/dialects/src/${name}`, import.meta.url), 'utf8');
  for (const body of text.split('\n').filter((line) => line !== '')) {
    expect((await fetch(`${httpUrl}/v1/traces`, { method: 'POST', headers, body })).status).toBe(200);
  }
}

/** Where the first model call of all runs is. */
async function modelCall(httpUrl: string): Promise<string> {
  const client = createCollectorClient({ url: httpUrl });
  for (const { traceId } of (await client.listRuns()).runs) {
    const { crossings } = await client.getRun(traceId);
    const call = crossings.find(({ kind, outcome }) => kind === 'model' && outcome === 'returned');
    if (call !== undefined) return `#/runs/${traceId}/${call.spanId}`;
  }
  return 'none';
}

describe.skipIf(program === undefined)('the page of the collector, of runs that others recorded', () => {
  const testbed = new Testbed();
  const browser = suiteBrowser(program);

  afterAll(() => testbed.dispose());

  it.each(recorded)('shows what a model was asked and answered by %s as messages', async (_name, fixture) => {
    const { httpUrl } = await testbed.start({}, { pageDirectory: PAGE_DIRECTORY });
    await sendFixture(httpUrl, fixture);
    const { page, complaints } = await openWatched(browser(), httpUrl);
    await page.goto(`${httpUrl}/${await modelCall(httpUrl)}`);
    const message = page.locator('.panel .message.user');
    await message.filter({ hasText: 'order 4711' }).first().waitFor();
    await page.locator('.panel .message.assistant').first().waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('says with what a run failed that has no crossing, and leaves what was said as text', async () => {
    const { httpUrl } = await testbed.start({}, { pageDirectory: PAGE_DIRECTORY });
    const attributes = textAttributes({ 'exception.type': 'KeyError', 'exception.message': '<b>no such key</b>' });
    const events = [{ timeUnixNano: '1763700000000000002', name: 'exception', attributes }];
    const status = { code: 2, message: 'the order failed' } as const;
    await postSpans(httpUrl, [
      makeSpan({ name: 'POST /order', status, events }),
      makeSpan({ spanId: spanIdOf(2), parentSpanId: spanIdOf(1), name: 'look up' }),
    ]);
    const { page, complaints } = await openWatched(browser(), httpUrl);
    await page.goto(`${httpUrl}/#/runs/${traceIdOf(1)}`);
    const failure = page.locator('header.run .failure');
    await failure.getByText('KeyError: <b>no such key</b>').waitFor();
    expect(await failure.textContent()).toBe('POST /order KeyError: <b>no such key</b> status the order failed');
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
