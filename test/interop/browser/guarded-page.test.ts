import { createHash } from 'node:crypto';
import {
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_REQUEST_MODEL,
} from '@reenact/semconv/gen-ai';
import { PAGE_DIRECTORY } from '@reenact/ui';
import { afterAll, describe, expect, it } from 'vitest';
import { makeSpan, postSpans, Testbed, textAttributes, traceIdOf } from '../../conformance/testbed.ts';
import { findBrowser } from './find-browser.ts';
import { suiteBrowser } from './suite-browser.ts';
import { openWatched } from './watched-page.ts';

const program = findBrowser();

/** What would show if anything of a recording were taken for markup, an address or a script. */
const hostile = [
  '<img src=x onerror="alert(1)">',
  '<script>alert(2)</script>',
  '"><svg onload=alert(3)>',
  'javascript:alert(4)',
  '</textarea><iframe src="https://tracker.example/">',
].join(' ');

function hostileSpan() {
  const messages = JSON.stringify([
    {
      role: hostile,
      parts: [
        { type: 'text', content: hostile },
        { type: 'uri', modality: 'image', uri: 'https://tracker.example/pixel.png' },
        { type: 'blob', modality: 'image', mime_type: 'image/svg+xml', content: btoa('<svg onload="alert(5)"/>') },
        { type: 'tool_call', id: hostile, name: hostile, arguments: hostile },
      ],
    },
  ]);
  return makeSpan({
    traceId: traceIdOf(1),
    name: hostile,
    attributes: textAttributes({
      'reenact.schema': '1',
      'reenact.boundary': 'model',
      'reenact.name': hostile,
      'reenact.call': 'promise',
      'reenact.effect': 'read',
      'reenact.outcome': 'threw',
      'reenact.input': JSON.stringify(hostile),
      'reenact.error': JSON.stringify({ class: 'Error', name: hostile, message: hostile, stack: hostile }),
      'error.type': hostile,
      [ATTR_GEN_AI_OPERATION_NAME]: 'chat',
      [ATTR_GEN_AI_REQUEST_MODEL]: hostile,
      [ATTR_GEN_AI_INPUT_MESSAGES]: messages,
      'session.id': hostile,
      'user.id': 'javascript:alert(6)',
      [hostile]: hostile,
    }),
  });
}

describe.skipIf(program === undefined)('the page of the collector, where others would misuse it', () => {
  const testbed = new Testbed();
  const browser = suiteBrowser(program);

  afterAll(() => testbed.dispose());

  it('shows what strangers wrote as text: nothing of it is run or loaded', async () => {
    const { httpUrl } = await testbed.start({}, { pageDirectory: PAGE_DIRECTORY });
    await postSpans(httpUrl, [hostileSpan()], hostile);
    const { page, complaints } = await openWatched(browser(), httpUrl);
    await page.goto(`${httpUrl}/`);
    await page.locator('tr[data-run] a').first().click();
    await page.locator('.panel .message').first().waitFor();
    // One may be inside of another one.
    const folded = page.locator('details:not([open]) > summary');
    while ((await folded.count()) > 0) await folded.first().click();
    for (const link of await page.locator('a').all()) expect(await link.getAttribute('href')).toMatch(/^#/);
    expect(await page.locator('iframe, svg, #app script, img').count()).toBe(0);
    expect(await page.locator('.panel').textContent()).toContain('<script>alert(2)</script>');
    expect(complaints).toEqual([]);
  });

  it('asks for a token where the collector wants one, keeps it for the tab, and takes no other', async () => {
    const sha256 = createHash('sha256').update('reader').digest('hex');
    const tokens = [
      { name: 'reader', sha256, scopes: ['read' as const] },
      { name: 'sender', sha256: createHash('sha256').update('sender').digest('hex'), scopes: ['ingest' as const] },
    ];
    const { httpUrl } = await testbed.start({ tokens }, { pageDirectory: PAGE_DIRECTORY });
    await postSpans(httpUrl, [makeSpan()], 'shop', { authorization: 'Bearer sender' });
    const { page } = await openWatched(browser(), httpUrl);
    await page.goto(`${httpUrl}/`);
    await page.getByLabel('Token', { exact: true }).fill('sender');
    await page.getByRole('button', { name: 'Look' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.locator('tr[data-run]').count()).toBe(0);
    await page.getByLabel('Token', { exact: true }).fill('reader');
    await page.getByRole('button', { name: 'Look' }).click();
    await page.locator('tr[data-run]').first().waitFor();
    await page.reload();
    await page.locator('tr[data-run]').first().waitFor();
    const other = await page.context().newPage();
    await other.goto(`${httpUrl}/`);
    await other.getByLabel('Token', { exact: true }).waitFor();
  });

  it('says what is wrong, and what to do, where the collector goes away', async () => {
    const collector = await testbed.start({}, { pageDirectory: PAGE_DIRECTORY });
    await postSpans(collector.httpUrl, [makeSpan()]);
    const { page } = await openWatched(browser(), collector.httpUrl);
    await page.goto(`${collector.httpUrl}/`);
    await page.locator('tr[data-run]').first().waitFor();
    await collector.stop();
    await page.getByText('no connection, trying again').waitFor();
    await page.locator('tr[data-run] a').first().click();
    await page.getByText("Nothing answers at the collector's address.").waitFor();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
  });
});
