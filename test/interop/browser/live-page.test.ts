import { PAGE_DIRECTORY } from '@reenact/ui';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type HeldContent, holdContent } from '../../conformance/query/held-content.ts';
import { crossingSpan, send } from '../../conformance/query/run-corpus.ts';
import { Testbed, traceIdOf } from '../../conformance/testbed.ts';
import { findBrowser } from './find-browser.ts';
import { suiteBrowser } from './suite-browser.ts';
import { openWatched } from './watched-page.ts';

const program = findBrowser();
const options = { pageDirectory: PAGE_DIRECTORY };

/** Lets a test hold back the answer to a tail, which by then has come. */
const DELAYING = `
  const ask = globalThis.fetch;
  globalThis.tails = [];
  globalThis.fetch = async (url, options) => {
    const answer = await ask(url, options);
    if (String(url).includes('/tail')) await new Promise((resolve) => tails.push(resolve));
    return answer;
  };`;

const linkTo = (page: Page, number: number): Locator => page.locator(`a[href="#/runs/${traceIdOf(number)}"]`);

/** So many runs, one after the other. */
function runsOf(count: number): ReturnType<typeof crossingSpan>[] {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  return numbers.map((number) => crossingSpan({ trace: number, span: number, atSecond: number }));
}

describe.skipIf(program === undefined)('the list of the page, while summaries come', () => {
  const testbed = new Testbed();
  const browser = suiteBrowser(program);
  let content: HeldContent | undefined;

  afterEach(async () => {
    content?.release();
    await testbed.dispose();
    await content?.close();
  });
  afterAll(() => testbed.dispose());

  it('shows a run that was there before the page and is summarised later, and no longer says that it waits', async () => {
    content = await holdContent();
    const { references } = content;
    const { httpUrl } = await testbed.start({ references, limits: { summaryWaitMs: 20 } }, options);
    await send(httpUrl, [content.spanOf(1)]);
    await content.asked(1);
    const { page, complaints } = await openWatched(browser(), httpUrl);
    await page.goto(`${httpUrl}/`);
    await page.getByText('live', { exact: true }).waitFor();
    const waits = page.getByText('1 run is new or changed and not summarised yet.');
    await waits.waitFor();
    content.release();
    await linkTo(page, 1).waitFor();
    await waits.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('keeps the earlier runs that were read while its tail was not there yet', async () => {
    const { httpUrl } = await testbed.start({}, options);
    await send(httpUrl, runsOf(60));
    const { page } = await openWatched(browser(), httpUrl);
    await page.addInitScript(DELAYING);
    await page.goto(`${httpUrl}/`);
    await expect.poll(() => page.evaluate('tails.length'), { timeout: 20_000 }).toBe(1);
    await page.getByRole('button', { name: 'Earlier runs' }).click();
    const rows = page.locator('tr[data-run]');
    await expect.poll(() => rows.count(), { timeout: 20_000 }).toBe(60);
    await page.evaluate('tails[0]()');
    await page.getByText('live', { exact: true }).waitFor();
    await send(httpUrl, runsOf(61));
    await expect.poll(() => rows.count(), { timeout: 20_000 }).toBe(61);
    await page.context().close();
  });
});
