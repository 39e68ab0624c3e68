import { PAGE_DIRECTORY } from '@reenact/ui';
import { afterAll, describe, expect, it } from 'vitest';
import { crossingSpan, type PlannedCrossing, send } from '../../conformance/query/run-corpus.ts';
import { spanIdOf, Testbed, traceIdOf } from '../../conformance/testbed.ts';
import { findBrowser } from './find-browser.ts';
import { suiteBrowser } from './suite-browser.ts';
import { openWatched } from './watched-page.ts';

const program = findBrowser();

/** A run of two crossings; `allowed`: what its guardrail said. */
function runSpans(trace: number, allowed: boolean, made: Partial<PlannedCrossing> = {}) {
  const root = trace * 10;
  return [
    crossingSpan({ trace, span: root, kind: 'agent', name: 'trader', ...made }),
    crossingSpan({
      trace,
      span: root + 1,
      parent: root,
      kind: 'guardrail',
      name: 'order-size',
      output: { allowed },
      ...made,
    }),
  ];
}

describe.skipIf(program === undefined)('a replay on the page of the collector', () => {
  const testbed = new Testbed();
  const browser = suiteBrowser(program);

  afterAll(() => testbed.dispose());

  it('leads to what it was made from, and to how it went another way', async () => {
    const { httpUrl } = await testbed.start({}, { pageDirectory: PAGE_DIRECTORY });
    await send(httpUrl, runSpans(1, true));
    const replay = { 'reenact.replay.id': 'r-1', 'reenact.mode': 'live' };
    const links = [{ traceId: traceIdOf(1), spanId: spanIdOf(10) }];
    await send(httpUrl, runSpans(2, false, { attributes: replay, members: { links } }));
    const { page, complaints } = await openWatched(browser(), httpUrl);
    await page.goto(`${httpUrl}/#/runs/${traceIdOf(2)}`);
    const header = page.locator('header.run');
    await header.getByRole('link', { name: 'the recording it is made from', exact: true }).waitFor();
    await header.getByRole('link', { name: 'compare both' }).click();
    const differs = page.getByRole('table', { name: 'Where guardrail order-size differs' });
    await differs.getByRole('cell', { name: 'true' }).waitFor();
    await differs.getByRole('cell', { name: 'false' }).waitFor();
    expect(page.url()).toContain(`/compare/${traceIdOf(1)}/${spanIdOf(20)}`);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
