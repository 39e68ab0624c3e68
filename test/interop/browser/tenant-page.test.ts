import { createHash } from 'node:crypto';
import { PAGE_DIRECTORY } from '@reenact/ui';
import { afterAll, describe, expect, it } from 'vitest';
import { makeSpan, postSpans, Testbed, traceIdOf } from '../../conformance/testbed.ts';
import { findBrowser } from './find-browser.ts';
import { suiteBrowser } from './suite-browser.ts';
import { openWatched } from './watched-page.ts';

const program = findBrowser();

describe.skipIf(program === undefined)('the page of the collector, of several tenants', () => {
  const testbed = new Testbed();
  const browser = suiteBrowser(program);

  afterAll(() => testbed.dispose());

  it('says whose runs a token sees where there are none of those, and takes another one', async () => {
    const tokens = ['north', 'south'].map((tenant) => ({
      name: tenant,
      sha256: createHash('sha256').update(tenant).digest('hex'),
      scopes: ['read' as const, 'ingest' as const],
      tenant,
    }));
    const { httpUrl } = await testbed.start({ tokens }, { pageDirectory: PAGE_DIRECTORY });
    const taken = await postSpans(httpUrl, [makeSpan()], 'shop', { authorization: 'Bearer north' });
    expect(taken.status).toBe(200);
    const { page } = await openWatched(browser(), httpUrl);
    await page.goto(`${httpUrl}/#/runs/${traceIdOf(1)}`);
    await page.getByLabel('Token', { exact: true }).fill('south');
    await page.getByRole('button', { name: 'Look' }).click();
    // A run that there is, though not for this token.
    await page.getByText("Only runs of the token's own tenant are seen").waitFor();
    await page.goto(`${httpUrl}/#/runs`);
    await page.getByRole('heading', { name: 'Nothing is recorded yet that this token may read' }).waitFor();
    await page.goto(`${httpUrl}/#/runs?status=ok`);
    await page.getByText('No run passes these filters.').waitFor();
    await page.getByText("Only runs of the token's own tenant are seen").waitFor();
    await page.getByLabel('Token', { exact: true }).fill('north');
    await page.getByRole('button', { name: 'Look' }).click();
    await page.locator('tr[data-run]').first().waitFor();
    await page.context().close();
  });
});
