import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PAGE_DIRECTORY } from '@reenact/ui';
import { afterAll, describe, expect, it } from 'vitest';
import { crossingSpan, send } from '../../conformance/query/run-corpus.ts';
import { Testbed, traceIdOf } from '../../conformance/testbed.ts';
import { findBrowser } from './find-browser.ts';
import { suiteBrowser } from './suite-browser.ts';
import { openWatched } from './watched-page.ts';

const program = findBrowser();
const options = { pageDirectory: PAGE_DIRECTORY };

/** Lets a test say when the page opens its first tail: by then the collector may have gone. */
const HOLDING = `
  const ask = globalThis.fetch;
  globalThis.held = [];
  globalThis.fetch = async (url, options) => {
    if (globalThis.held !== undefined && String(url).includes('/tail')) await new Promise((resolve) => held.push(resolve));
    return ask(url, options);
  };
  globalThis.letGo = () => { for (const go of held) go(); held = undefined; };`;

describe.skipIf(program === undefined)('the page of the collector, where it is left open', () => {
  const testbed = new Testbed();
  const browser = suiteBrowser(program);

  afterAll(() => testbed.dispose());

  it('is live again as soon as the collector is, and says so without a run', async () => {
    const collector = await testbed.start({}, options);
    const { page } = await openWatched(browser(), collector.httpUrl);
    await page.goto(`${collector.httpUrl}/`);
    await page.getByText('live', { exact: true }).waitFor();
    const { dataDirectory } = collector;
    await collector.stop();
    await page.getByText('no connection, trying again').waitFor();
    await testbed.start({ dataDirectory, httpPort: Number(new URL(collector.httpUrl).port) }, options);
    await page.getByText('live', { exact: true }).waitFor();
    await page.context().close();
  });

  it('is live, too, where its first connection failed, as soon as the collector is there', async () => {
    const collector = await testbed.start({}, options);
    const { httpUrl, dataDirectory } = collector;
    await send(httpUrl, [crossingSpan({ trace: 1, span: 1, kind: 'agent', name: 'clerk' })]);
    const { page: list } = await openWatched(browser(), httpUrl);
    const { page: run } = await openWatched(browser(), httpUrl);
    const pages = [list, run];
    for (const page of pages) await page.addInitScript(HOLDING);
    await list.goto(`${httpUrl}/`);
    await run.goto(`${httpUrl}/#/runs/${traceIdOf(1)}`);
    for (const page of pages) {
      await page.getByText('agent:clerk', { exact: true }).waitFor();
      await expect.poll(() => page.evaluate('held.length'), { timeout: 20_000 }).toBe(1);
    }
    await collector.stop();
    for (const page of pages) {
      await page.evaluate('letGo()');
      await page.getByRole('status').getByText('no connection, trying again').waitFor();
    }
    await testbed.start({ dataDirectory, httpPort: Number(new URL(httpUrl).port) }, options);
    await list.getByText('live', { exact: true }).waitFor();
    await send(httpUrl, [
      crossingSpan({ trace: 1, span: 2, parent: 1, name: 'later' }),
      crossingSpan({ trace: 2, span: 9, name: 'other' }),
    ]);
    await list.getByRole('link', { name: 'tool:other' }).waitFor();
    await run.getByRole('treeitem').filter({ hasText: 'later' }).waitFor();
    await run.getByRole('status').waitFor({ state: 'detached' });
    for (const page of pages) await page.context().close();
  });

  it('asks for a token where the one that it follows runs with is taken back', async () => {
    const tokensFile = join(await testbed.directory(), 'tokens.json');
    const sha256Of = (token: string): string => createHash('sha256').update(token).digest('hex');
    const write = (token: string): Promise<void> =>
      writeFile(tokensFile, JSON.stringify([{ name: 'reader', sha256: sha256Of(token), scopes: ['read'] }]));
    await write('one');
    const collector = await testbed.start({ tokensFile }, options);
    const { page } = await openWatched(browser(), collector.httpUrl);
    await page.goto(`${collector.httpUrl}/`);
    await page.getByLabel('Token', { exact: true }).fill('one');
    await page.getByRole('button', { name: 'Look' }).click();
    await page.getByText('live', { exact: true }).waitFor();
    await write('other');
    await collector.reload();
    await page.getByLabel('Token', { exact: true }).waitFor();
    await page.getByText('not live').waitFor();
    await page.context().close();
  });
});
