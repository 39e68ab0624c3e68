import { PAGE_DIRECTORY } from '@reenact/ui';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crossingSpan, send } from '../../conformance/query/run-corpus.ts';
import { Testbed, traceIdOf } from '../../conformance/testbed.ts';
import { findBrowser } from './find-browser.ts';
import { suiteBrowser } from './suite-browser.ts';
import { openWatched } from './watched-page.ts';

const program = findBrowser();

/** More than two pages of the list. */
const RUNS = 130;

const runOf = (trace: number) =>
  crossingSpan({ trace, span: trace, kind: 'agent', name: `clerk_${trace}`, atSecond: trace });

const rowOf = (page: Page, trace: number): Locator => page.locator(`[data-run="${traceIdOf(trace)}"]`);

/** How far below the upper edge of the window something stands, pixels. */
const topOf = async (row: Locator): Promise<number | undefined> => (await row.boundingBox())?.y;

async function readAll(page: Page): Promise<void> {
  const rows = page.locator('[data-run]');
  for (const count of [100, RUNS]) {
    await page.getByRole('button', { name: 'Earlier runs' }).click();
    await expect.poll(() => rows.count(), { timeout: 20_000 }).toBe(count);
  }
}

describe.skipIf(program === undefined)('the list of runs, where somebody comes back to it', () => {
  const testbed = new Testbed();
  const browser = suiteBrowser(program);
  let httpUrl: string;

  beforeAll(async () => {
    ({ httpUrl } = await testbed.start({}, { pageDirectory: PAGE_DIRECTORY }));
    await send(
      httpUrl,
      Array.from({ length: RUNS }, (_, index) => runOf(index + 1)),
    );
  });
  afterAll(() => testbed.dispose());

  it('is where it was left: as far as it had been read, and with keys at the run that was looked at', async () => {
    const { page, complaints } = await openWatched(browser(), httpUrl);
    await page.goto(`${httpUrl}/`);
    await rowOf(page, RUNS).waitFor();
    await readAll(page);
    const row = rowOf(page, 20);
    await row.scrollIntoViewIfNeeded();
    const before = (await topOf(row)) ?? Number.NaN;
    await row.getByRole('link').click();
    await page.locator('.panel').getByRole('heading', { name: 'agent clerk_20' }).waitFor();
    await page.goBack();
    await row.waitFor();
    await expect.poll(() => topOf(row), { timeout: 20_000 }).toBeCloseTo(before, 0);
    await page.locator(':focus', { hasText: 'clerk_20' }).waitFor();
    expect(await page.locator('[data-run]').count()).toBe(RUNS);

    // A list that is gone to is another visit.
    await page.getByRole('link', { name: 'Drift' }).click();
    await page.getByRole('heading', { name: 'The same input, another outcome' }).waitFor();
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await rowOf(page, RUNS).waitFor();
    expect(await page.evaluate('scrollY')).toBe(0);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('is where it was when it is loaded anew, below what has come meanwhile', async () => {
    const { page, complaints } = await openWatched(browser(), httpUrl);
    await page.goto(`${httpUrl}/#/runs?service=shop`);
    await rowOf(page, RUNS).waitFor();
    await readAll(page);
    const row = rowOf(page, 40);
    await page.evaluate(`document.querySelector('[data-run="${traceIdOf(40)}"]').scrollIntoView()`);
    await expect.poll(() => topOf(row), { timeout: 20_000 }).toBeCloseTo(0, 0);
    await page.reload();
    await row.waitFor();
    await expect.poll(() => topOf(row), { timeout: 20_000 }).toBeCloseTo(0, 0);
    await page.goto('about:blank');
    await send(httpUrl, [201, 202, 203].map(runOf));
    await page.goBack();
    await rowOf(page, 203).waitFor();
    await expect.poll(() => topOf(row), { timeout: 20_000 }).toBeCloseTo(0, 0);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
