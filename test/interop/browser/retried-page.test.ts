import { PAGE_DIRECTORY } from '@reenact/ui';
import { afterAll, describe, expect, it } from 'vitest';
import { crossingSpan, send } from '../../conformance/query/run-corpus.ts';
import { Testbed, traceIdOf } from '../../conformance/testbed.ts';
import { findBrowser } from './find-browser.ts';
import { suiteBrowser } from './suite-browser.ts';
import { openWatched } from './watched-page.ts';

const program = findBrowser();
const options = { pageDirectory: PAGE_DIRECTORY };

const agent = (trace: number) => crossingSpan({ trace, span: trace * 10, kind: 'agent', name: `clerk_${trace}` });

/** Lets a test say from when on the browser refuses to say which locks are held, as it does to a page that it puts away. */
const REFUSING = `
  globalThis.refused = 0;
  const { query } = LockManager.prototype;
  LockManager.prototype.query = function () {
    if (globalThis.isRefusing !== true) return query.call(this);
    globalThis.refused += 1;
    return Promise.reject(new DOMException('The document is not fully active.', 'InvalidStateError'));
  };`;

describe.skipIf(program === undefined)('the page of the collector, where a question fails for a while', () => {
  const testbed = new Testbed();
  const browser = suiteBrowser(program);

  afterAll(() => testbed.dispose());

  it('asks again by itself until it is answered', async () => {
    const collector = await testbed.start({}, options);
    const { httpUrl, dataDirectory } = collector;
    await send(httpUrl, [agent(1)]);
    const { page } = await openWatched(browser(), httpUrl);
    await page.goto(`${httpUrl}/`);
    await page.getByRole('link', { name: 'agent:clerk_1' }).waitFor();
    await collector.stop();
    await page.getByRole('link', { name: 'agent:clerk_1' }).click();
    const notice = page.getByRole('alert');
    await notice.getByText("Nothing answers at the collector's address.").waitFor();
    await notice.getByText('It is tried again by itself.').waitFor();
    await testbed.start({ dataDirectory, httpPort: Number(new URL(httpUrl).port) }, options);
    await page.locator('.panel').getByRole('heading', { name: 'agent clerk_1' }).waitFor();
    await notice.waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('leaves a run in sight that could not be read anew, and says so until it could', async () => {
    const { httpUrl } = await testbed.start({}, options);
    await send(httpUrl, [agent(1)]);
    const { page } = await openWatched(browser(), httpUrl);
    await page.goto(`${httpUrl}/#/runs/${traceIdOf(1)}`);
    const rows = page.getByRole('treeitem');
    await rows.filter({ hasText: 'clerk_1' }).waitFor();
    const questions = `${httpUrl}/api/v1/runs/*`;
    await page.route(questions, (route) => route.fulfill({ status: 503, body: 'upstream is away' }));
    await send(httpUrl, [crossingSpan({ trace: 1, span: 11, parent: 10, name: 'later' })]);
    await page.getByRole('alert').getByText('It is tried again by itself.').waitFor();
    expect(await rows.count()).toBe(1);
    await page.unroute(questions);
    await rows.filter({ hasText: 'later' }).waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('stays live where the browser does not say any more which windows wait', async () => {
    const { httpUrl } = await testbed.start({}, options);
    await send(httpUrl, [agent(1)]);
    const { page, complaints } = await openWatched(browser(), httpUrl);
    await page.addInitScript(REFUSING);
    await page.goto(`${httpUrl}/`);
    await page.getByText('live', { exact: true }).waitFor();
    await page.evaluate('globalThis.isRefusing = true');
    // Once while it holds its stream, once as it takes another turn.
    await expect.poll(() => page.evaluate('refused'), { timeout: 20_000 }).toBeGreaterThan(1);
    await send(httpUrl, [agent(2)]);
    await page.getByRole('link', { name: 'agent:clerk_2' }).waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});

describe.skipIf(program === undefined)(
  'the page of the collector, where earlier runs are not answered for a while',
  () => {
    const testbed = new Testbed();
    const browser = suiteBrowser(program);

    afterAll(() => testbed.dispose());

    it('asks for them again by itself', async () => {
      const { httpUrl } = await testbed.start({}, options);
      // One more than the list begins with.
      await send(
        httpUrl,
        Array.from({ length: 51 }, (_, index) => agent(index + 1)),
      );
      const { page } = await openWatched(browser(), httpUrl);
      await page.goto(`${httpUrl}/`);
      const rows = page.locator('tr[data-run]');
      await rows.nth(49).waitFor();
      const questions = `${httpUrl}/api/v1/runs?*cursor=*`;
      await page.route(questions, (route) => route.fulfill({ status: 503, body: 'upstream is away' }));
      await page.getByRole('button', { name: 'Earlier runs' }).click();
      await page.getByRole('alert').getByText('It is tried again by itself.').waitFor();
      expect(await rows.count()).toBe(50);
      await page.unroute(questions);
      await expect.poll(() => rows.count(), { timeout: 20_000 }).toBe(51);
      await page.getByRole('alert').waitFor({ state: 'detached' });
      await page.context().close();
    });
  },
);
