import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PAGE_DIRECTORY } from '@reenact/ui';
import { afterAll, describe, it } from 'vitest';
import { Testbed } from '../../conformance/testbed.ts';
import { findBrowser } from './find-browser.ts';
import { suiteBrowser } from './suite-browser.ts';
import { openWatched } from './watched-page.ts';

const program = findBrowser();
const options = { pageDirectory: PAGE_DIRECTORY };

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
    await page.getByText('connection lost, trying again').waitFor();
    await testbed.start({ dataDirectory, httpPort: Number(new URL(collector.httpUrl).port) }, options);
    await page.getByText('live', { exact: true }).waitFor();
    await page.context().close();
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
