import { PAGE_DIRECTORY } from '@reenact/ui';
import { afterAll, describe, expect, it } from 'vitest';
import { makeSpan, postSpans, spanIdOf, Testbed, textAttributes, traceIdOf } from '../../conformance/testbed.ts';
import { findBrowser } from './find-browser.ts';
import { suiteBrowser } from './suite-browser.ts';
import { openWatched } from './watched-page.ts';

const program = findBrowser();
const options = { pageDirectory: PAGE_DIRECTORY };

describe.skipIf(program === undefined)(
  'the page of the collector, where an address, a span or a browser is not as it should be',
  () => {
    const testbed = new Testbed();
    const browser = suiteBrowser(program);

    afterAll(() => testbed.dispose());

    it('shows something at every address, with a tree that keys lead to', async () => {
      const { httpUrl } = await testbed.start({}, options);
      await postSpans(httpUrl, [
        makeSpan({ spanId: spanIdOf(1), attributes: textAttributes({ 'openinference.span.kind': 'TOOL' }) }),
      ]);
      const { page, complaints } = await openWatched(browser(), httpUrl);
      const words = {
        '#/runs/%E0%A4%A': /%E0%A4%A|not an id/,
        '#/runs?last=constructor': /This address cannot be read: since/,
        [`#/runs/${traceIdOf(1)}/ffffffffffffffff`]: /There is no crossing ffffffffffffffff/,
      };
      for (const [hash, said] of Object.entries(words)) {
        await page.goto(`${httpUrl}/${hash}`);
        await page.getByText(said).first().waitFor();
      }
      expect(await page.locator('[role=treeitem][tabindex="0"]').count()).toBe(1);
      expect(complaints.filter((complaint) => complaint.startsWith('script'))).toEqual([]);
      await page.context().close();
    });

    it('says what went wrong where something cannot be drawn, and draws all else', async () => {
      const { httpUrl } = await testbed.start({}, options);
      await postSpans(httpUrl, [makeSpan()]);
      const { page } = await openWatched(browser(), httpUrl);
      await page.addInitScript('Date.prototype.getFullYear = () => { throw new Error("there is no year"); }');
      await page.goto(`${httpUrl}/`);
      await page.getByRole('alert').getByText('there is no year').waitFor();
      await page.getByRole('link', { name: 'Drift' }).click();
      await page.getByRole('heading', { name: 'The same input, another outcome' }).waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
      await page.getByRole('link', { name: 'Runs', exact: true }).click();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('alert').getByText('there is no year').waitFor();
      await page.context().close();
    });

    it('says how a span of others failed, and copies exactly where a page has no clipboard', async () => {
      const { httpUrl } = await testbed.start({}, options);
      const event = { timeUnixNano: '1763700000000000002', name: 'exception' };
      const exception = textAttributes({ 'exception.type': 'KeyError', 'exception.message': 'no such key' });
      const status = { code: 2, message: 'it failed' } as const;
      const value = '{"id":12345678901234567890,\r\n "name":"é\u202eא"}';
      const attributes = textAttributes({
        'openinference.span.kind': 'TOOL',
        'input.value': `${value}${' '.repeat(200)}`,
      });
      await postSpans(httpUrl, [makeSpan({ status, attributes, events: [{ ...event, attributes: exception }] })]);
      const { page } = await openWatched(browser(), httpUrl);
      await page.addInitScript('Object.defineProperty(navigator, "clipboard", { value: undefined })');
      await page.addInitScript(
        'addEventListener("copy", (event) => { window.copied = event.clipboardData.getData("text/plain"); })',
      );
      await page.goto(`${httpUrl}/#/runs/${traceIdOf(1)}`);
      await page.getByRole('region', { name: 'tool work' }).getByText('KeyError: no such key').waitFor();
      await page.locator('.panel').getByText('Attributes', { exact: true }).click();
      await page.locator('.pairs').getByRole('button', { name: 'Copy' }).first().click();
      await page.getByText('Copied').first().waitFor();
      expect(await page.evaluate('window.copied')).toBe(`${value}${' '.repeat(200)}`);
      await page.context().close();
    });
  },
);
