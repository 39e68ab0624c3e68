import { encodeValue } from '@reenact/trace-model';
import { PAGE_DIRECTORY } from '@reenact/ui';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crossingSpan, send } from '../../conformance/query/run-corpus.ts';
import { spanIdOf, Testbed, traceIdOf } from '../../conformance/testbed.ts';
import { findBrowser } from './find-browser.ts';
import { suiteBrowser } from './suite-browser.ts';
import { openWatched, type WatchedPage } from './watched-page.ts';

const program = findBrowser();

/** More than two stretches of the tree, with what failed in the last one. */
const STEPS = 4_600;
const FIRST_FAILED = 4_000;
const LAST_FAILED = 4_500;

function stepOf(at: number) {
  const step = { trace: 1, span: at + 1, parent: 1, name: `step_${at}`, atSecond: at };
  if (at !== FIRST_FAILED && at !== LAST_FAILED) return crossingSpan(step);
  const failure = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 10.0.0.12:443') });
  const { data = '', digest = '' } = encodeValue(failure).payload;
  const error = { 'reenact.error': data, 'reenact.error.digest': digest, 'error.type': 'TypeError' };
  const status = { code: 2, message: failure.message } as const;
  return crossingSpan({ ...step, attributes: { 'reenact.outcome': 'threw', ...error }, members: { status } });
}

const rowOf = (page: Page, at: number) => page.locator(`[data-span="${spanIdOf(at + 1)}"]`);

/** Narrows the tree of the page to some rows, by keys and by what failed. */
async function narrow({ page, complaints }: WatchedPage): Promise<void> {
  const rows = page.getByRole('treeitem');
  const words = page.getByLabel('Words in the rows of this run');
  await words.fill('STEP_123');
  // 123 and 1230 to 1239, below their agent.
  await page.getByRole('status').getByText('11 found').waitFor();
  expect(await rows.count()).toBe(12);
  await words.press('Enter');
  await page.locator(':focus').and(rowOf(page, 123)).waitFor();
  await page.locator(':focus').press('ArrowDown');
  await page.locator('.panel').getByRole('heading', { name: 'tool step_1230', exact: true }).waitFor();
  await words.fill('');
  await rowOf(page, 1_230).and(page.locator('[aria-selected=true]')).waitFor();
  await page.getByLabel('only what failed').check();
  await page.getByRole('status').getByText('2 found').waitFor();
  await rowOf(page, LAST_FAILED).waitFor();
  expect(await rows.count()).toBe(3);
  await page.getByLabel('only what failed').uncheck();
  await rowOf(page, LAST_FAILED).waitFor({ state: 'detached' });
  await words.fill('nothing such');
  await page.getByRole('status').getByText('0 found').waitFor();
  expect(await rows.count()).toBe(0);
  expect(complaints).toEqual([]);
}

describe.skipIf(program === undefined)('a run of thousands of crossings on the page of the collector', () => {
  const testbed = new Testbed();
  const browser = suiteBrowser(program);
  let httpUrl: string;

  beforeAll(async () => {
    ({ httpUrl } = await testbed.start({}, { pageDirectory: PAGE_DIRECTORY }));
    const steps = Array.from({ length: STEPS }, (_, index) => stepOf(index + 1));
    await send(httpUrl, [crossingSpan({ trace: 1, span: 1, kind: 'agent', name: 'clerk' }), ...steps]);
  });
  afterAll(() => testbed.dispose());

  it('shows in its tree what failed, however far down, and leads from there by keys and to what failed before', async () => {
    const { page, complaints } = await openWatched(browser(), httpUrl);
    await page.goto(`${httpUrl}/#/runs/${traceIdOf(1)}`);
    const panel = page.locator('.panel');
    await panel.getByText('caused by Error: connect ECONNREFUSED 10.0.0.12:443').waitFor();
    await rowOf(page, LAST_FAILED).and(page.locator('[aria-selected=true]')).waitFor();
    await panel.getByRole('link', { name: '← failed before it' }).click();
    await panel.getByRole('heading', { name: `tool step_${FIRST_FAILED}`, exact: true }).waitFor();
    const row = rowOf(page, FIRST_FAILED);
    await row.and(page.locator('[aria-selected=true]')).waitFor();
    await row.press('ArrowUp');
    await page
      .locator(':focus')
      .and(rowOf(page, FIRST_FAILED - 1))
      .waitFor();
    await page.locator(':focus').press('Home');
    await page.locator(':focus', { hasText: 'clerk' }).waitFor();
    await panel.getByRole('heading', { name: 'agent clerk' }).waitFor();
    await page.locator(':focus').press('End');
    await page.locator(':focus').and(rowOf(page, STEPS)).waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('narrows its tree to what is looked for, also by keys alone, and to what failed', async () => {
    const watched = await openWatched(browser(), httpUrl);
    await watched.page.goto(`${httpUrl}/#/runs/${traceIdOf(1)}`);
    await narrow(watched);
    await watched.page.context().close();
  });

  it('has a crossing beside its tree on a telephone, too, not behind thousands of rows', async () => {
    const { page, complaints } = await openWatched(browser(), httpUrl, { width: 390, height: 844 });
    await page.goto(`${httpUrl}/#/runs/${traceIdOf(1)}`);
    const panel = page.locator('.panel');
    await panel.getByRole('heading', { name: `tool step_${LAST_FAILED}` }).waitFor();
    expect(await page.evaluate('scrollY')).toBe(0);
    const row = rowOf(page, LAST_FAILED - 1);
    await row.click();
    const heading = panel.getByRole('heading', { name: `tool step_${LAST_FAILED - 1}`, exact: true });
    await heading.waitFor();
    const [of, from] = [await heading.boundingBox(), await row.boundingBox()];
    expect((of?.y ?? Number.NaN) - (from?.y ?? 0)).toBeLessThan(844);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
