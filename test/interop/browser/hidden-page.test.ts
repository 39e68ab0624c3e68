import { PAGE_DIRECTORY } from '@reenact/ui';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { makeSpan, postSpans, spanIdOf, Testbed, traceIdOf } from '../../conformance/testbed.ts';
import { findBrowser } from './find-browser.ts';
import { suiteBrowser } from './suite-browser.ts';
import { openWatched } from './watched-page.ts';

const program = findBrowser();
const options = { pageDirectory: PAGE_DIRECTORY };

/** Lets a test say which tabs are looked at: a browser without a window hides none. */
const HIDING = `
  let isHidden = false;
  Object.defineProperty(document, 'hidden', { get: () => isHidden });
  globalThis.hide = (hidden) => {
    isHidden = hidden;
    document.dispatchEvent(new Event('visibilitychange'));
  };`;

const hide = (page: Page, isHidden: boolean): Promise<unknown> => page.evaluate(`hide(${isHidden})`);

function runOf(number: number, members: Parameters<typeof makeSpan>[0] = {}) {
  return makeSpan({ traceId: traceIdOf(number), spanId: spanIdOf(number), name: `run ${number}`, ...members });
}

describe.skipIf(program === undefined)('the page of the collector, in tabs that nobody looks at', () => {
  const testbed = new Testbed();
  const browser = suiteBrowser(program);

  afterAll(() => testbed.dispose());

  it('opens in an eighth tab: those that are hidden hold no connection', async () => {
    const { httpUrl } = await testbed.start({}, options);
    await postSpans(httpUrl, [runOf(1)]);
    const { page: first } = await openWatched(browser(), httpUrl);
    const context = first.context();
    await context.addInitScript(HIDING);
    for (let tab = 1; tab <= 7; tab += 1) {
      const page = await context.newPage();
      await page.goto(`${httpUrl}/`);
      await page.getByText('live', { exact: true }).waitFor();
      await hide(page, true);
      await page.getByText('not live while this tab is hidden').waitFor();
    }
    const eighth = await context.newPage();
    await eighth.goto(`${httpUrl}/`);
    await eighth.getByText('live', { exact: true }).waitFor();
    await eighth.getByRole('link', { name: 'run 1' }).waitFor();
    await context.close();
  });

  it('makes up for what came while a tab was hidden, also where it was opened hidden', async () => {
    const { httpUrl } = await testbed.start({}, options);
    await postSpans(httpUrl, [runOf(1)]);
    const { page } = await openWatched(browser(), httpUrl);
    await page.addInitScript(HIDING);
    await page.goto(`${httpUrl}/`);
    await page.getByText('live', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'run 1' }).waitFor();
    await hide(page, true);
    await page.getByText('not live while this tab is hidden').waitFor();
    await postSpans(httpUrl, [runOf(2)]);
    await hide(page, false);
    await page.getByText('live', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'run 2' }).waitFor();

    await page.addInitScript('hide(true)');
    await page.reload();
    await page.getByText('not live while this tab is hidden').waitFor();
    await page.getByRole('link', { name: 'run 2' }).waitFor();
    await postSpans(httpUrl, [runOf(3)]);
    await hide(page, false);
    await page.getByRole('link', { name: 'run 3' }).waitFor();
    await page.context().close();
  });

  it('takes a run out of the list that no longer passes its filters', async () => {
    const { httpUrl } = await testbed.start({}, options);
    await postSpans(httpUrl, [runOf(1, { endTimeUnixNano: '0' }), runOf(2)]);
    const { page } = await openWatched(browser(), httpUrl);
    await page.goto(`${httpUrl}/#/runs?status=ok`);
    await page.getByText('live', { exact: true }).waitFor();
    for (const name of ['run 1', 'run 2']) await page.getByRole('link', { name }).waitFor();
    await postSpans(httpUrl, [runOf(1, { status: { code: 2, message: 'it broke' } })]);
    await page.getByRole('link', { name: 'run 1' }).waitFor({ state: 'detached' });
    expect(await page.locator('tr[data-run]').count()).toBe(1);
    await page.goto(`${httpUrl}/#/runs?status=error`);
    await page.getByRole('link', { name: 'run 1' }).waitFor();
    await page.context().close();
  });
});
