import { createHash } from 'node:crypto';
import { PAGE_DIRECTORY } from '@reenact/ui';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { makeSpan, postSpans, spanIdOf, Testbed, traceIdOf } from '../../conformance/testbed.ts';
import { findBrowser } from './find-browser.ts';
import { suiteBrowser } from './suite-browser.ts';
import { openWatched } from './watched-page.ts';

const program = findBrowser();
const options = { pageDirectory: PAGE_DIRECTORY };

/** More than a browser has connections for; what waits longer for its turn than a few others do is stopped. */
const WINDOWS = 8;
const TOLD_MS_MAX = 60_000;

function runOf(number: number) {
  return makeSpan({ traceId: traceIdOf(number), spanId: spanIdOf(number), name: `run ${number}` });
}

const linkTo = (page: Page, number: number) => page.getByRole('link', { name: `run ${number}`, exact: true });

/** Opens so many windows of one browser, all of which are looked at, and waits until each is live. */
async function openWindows(context: BrowserContext, url: string): Promise<Page[]> {
  const pages: Page[] = [];
  for (let opened = 0; opened < WINDOWS; opened += 1) {
    const page = await context.newPage();
    page.setDefaultTimeout(TOLD_MS_MAX);
    pages.push(page);
    await page.goto(url);
    await page.getByText('live', { exact: true }).waitFor();
  }
  return pages;
}

async function contextOf(browser: Browser, url: string): Promise<BrowserContext> {
  const { page } = await openWatched(browser, url);
  return page.context();
}

const toldTo = (pages: readonly Page[], number: number): Promise<unknown> =>
  Promise.all(pages.map((page) => linkTo(page, number).waitFor()));

describe.skipIf(program === undefined)(
  'the page of the collector, in more windows than a browser has connections for',
  () => {
    const testbed = new Testbed();
    const browser = suiteBrowser(program);

    afterAll(() => testbed.dispose());

    it('opens in each of them, tells each what comes, and goes on where others are closed or frozen', async () => {
      const { httpUrl } = await testbed.start({}, options);
      await postSpans(httpUrl, [runOf(1)]);
      const context = await contextOf(browser(), httpUrl);
      const pages = await openWindows(context, `${httpUrl}/`);
      await postSpans(httpUrl, [runOf(2)]);
      await toldTo(pages, 2);
      const [frozen, closed, ...left] = pages;
      if (frozen === undefined || closed === undefined) throw new Error('There are eight.');
      const session = await context.newCDPSession(frozen);
      await session.send('Page.setWebLifecycleState', { state: 'frozen' });
      await closed.close();
      await postSpans(httpUrl, [runOf(3)]);
      await toldTo(left, 3);
      await session.send('Page.setWebLifecycleState', { state: 'active' });
      await toldTo([frozen], 3);
      await context.close();
    });

    it('shows each of several tenants its own, of whom none shares what it reads', async () => {
      const tenants = ['north', 'south'];
      const tokens = tenants.map((tenant) => ({
        name: tenant,
        sha256: createHash('sha256').update(tenant).digest('hex'),
        scopes: ['read' as const, 'ingest' as const],
        tenant,
      }));
      const { httpUrl } = await testbed.start({ tokens }, options);
      const context = await contextOf(browser(), httpUrl);
      const pages: Page[] = [];
      for (let opened = 0; opened < WINDOWS; opened += 1) {
        const page = await context.newPage();
        page.setDefaultTimeout(TOLD_MS_MAX);
        const access = JSON.stringify({ token: tenants[opened % 2], tenant: '' });
        await page.addInitScript(`sessionStorage.setItem('reenact.access', ${JSON.stringify(access)})`);
        await page.goto(`${httpUrl}/`);
        await page.getByText('live', { exact: true }).waitFor();
        pages.push(page);
      }
      for (const [number, tenant] of tenants.entries())
        await postSpans(httpUrl, [runOf(number + 1)], undefined, { authorization: `Bearer ${tenant}` });
      for (const [index, page] of pages.entries()) {
        await linkTo(page, (index % 2) + 1).waitFor();
        expect(await page.locator('tr[data-run]').count()).toBe(1);
      }
      await context.close();
    });

    it('opens in each, and tells each, also where windows cannot know of each other', async () => {
      const { httpUrl } = await testbed.start({}, options);
      await postSpans(httpUrl, [runOf(1)]);
      const context = await contextOf(browser(), httpUrl);
      await context.addInitScript("Object.defineProperty(Navigator.prototype, 'locks', { get: () => undefined })");
      const pages = await openWindows(context, `${httpUrl}/`);
      await postSpans(httpUrl, [runOf(2)]);
      await toldTo(pages, 2);
      await context.close();
    });
  },
);
