import {
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_TOOL_CALL_ARGUMENTS,
  ATTR_GEN_AI_TOOL_CALL_RESULT,
  ATTR_GEN_AI_TOOL_NAME,
} from '@reenact/semconv/gen-ai';
import { PAGE_DIRECTORY } from '@reenact/ui';
import { afterAll, describe, expect, it } from 'vitest';
import { makeSpan, postSpans, spanIdOf, Testbed, textAttributes, traceIdOf } from '../../conformance/testbed.ts';
import { findBrowser } from './find-browser.ts';
import { suiteBrowser } from './suite-browser.ts';
import { openWatched } from './watched-page.ts';

const program = findBrowser();

describe.skipIf(program === undefined)(
  'the page of the collector, of texts that are hard on a browser or a reader',
  () => {
    const testbed = new Testbed();
    const browser = suiteBrowser(program);

    afterAll(() => testbed.dispose());

    it('shows all of 20 MB to whoever wants it, and goes on to answer', async () => {
      const { httpUrl } = await testbed.start({}, { pageDirectory: PAGE_DIRECTORY });
      const attributes = textAttributes({
        [ATTR_GEN_AI_OPERATION_NAME]: 'execute_tool',
        [ATTR_GEN_AI_TOOL_NAME]: 'read',
        [ATTR_GEN_AI_TOOL_CALL_RESULT]: `${'The quick brown fox. '.repeat(1_000_000)}the end`,
      });
      await postSpans(httpUrl, [makeSpan({ attributes })]);
      const { page, complaints } = await openWatched(browser(), httpUrl);
      await page.goto(`${httpUrl}/#/runs/${traceIdOf(1)}/${spanIdOf(1)}`);
      await page.getByRole('button', { name: 'Show all 21M characters' }).click({ timeout: 60_000 });
      await page.locator('.panel .piece', { hasText: 'the end' }).waitFor({ state: 'attached' });
      await page.getByRole('link', { name: 'Drift' }).click();
      await page.getByRole('heading', { name: 'The same input, another outcome' }).waitFor();
      expect(complaints).toEqual([]);
      await page.context().close();
    });

    it('writes out what turns the direction of text, which would be read as something else', async () => {
      const { httpUrl } = await testbed.start({}, { pageDirectory: PAGE_DIRECTORY });
      const attributes = textAttributes({
        [ATTR_GEN_AI_OPERATION_NAME]: 'execute_tool',
        [ATTR_GEN_AI_TOOL_NAME]: 'open\u202e',
        [ATTR_GEN_AI_TOOL_CALL_ARGUMENTS]: '{"file":"user\u202etxt.exe"}',
        [ATTR_GEN_AI_TOOL_CALL_RESULT]: 'שלום',
      });
      await postSpans(httpUrl, [makeSpan({ attributes })]);
      const { page, complaints } = await openWatched(browser(), httpUrl);
      await page.goto(`${httpUrl}/#/runs/${traceIdOf(1)}/${spanIdOf(1)}`);
      await page.locator('.panel pre', { hasText: 'user\\u202etxt.exe' }).waitFor();
      await page.locator('.panel pre', { hasText: 'שלום' }).waitFor();
      expect(await page.locator('body').innerHTML()).not.toContain('\u202e');
      expect(await page.title()).toContain('open\\u202e');
      expect(complaints).toEqual([]);
      await page.context().close();
    });
  },
);
