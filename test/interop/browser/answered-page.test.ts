import { ATTR_GEN_AI_INPUT_MESSAGES, ATTR_GEN_AI_OUTPUT_MESSAGES } from '@reenact/semconv/gen-ai';
import { PAGE_DIRECTORY } from '@reenact/ui';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crossingSpan, send } from '../../conformance/query/run-corpus.ts';
import { spanIdOf, Testbed, traceIdOf } from '../../conformance/testbed.ts';
import { findBrowser } from './find-browser.ts';
import { suiteBrowser } from './suite-browser.ts';
import { openWatched, type WatchedPage } from './watched-page.ts';

const program = findBrowser();

/** Of a machine that is busy. */
const patience = { timeout: 20_000 };

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A second of silence, as a sound that browsers play. */
function silence(): string {
  const bytes = Buffer.alloc(44 + 8_000, 128);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(36 + 8_000, 4);
  bytes.write('WAVEfmt ', 8);
  for (const [value, at] of [
    [16, 16],
    [8_000, 24],
    [8_000, 28],
    [8_000, 40],
  ] as const)
    bytes.writeUInt32LE(value, at);
  for (const [value, at] of [
    [1, 20],
    [1, 22],
    [1, 32],
    [8, 34],
  ] as const)
    bytes.writeUInt16LE(value, at);
  bytes.write('data', 36);
  return bytes.toString('base64');
}

const said = (role: string, text: string) => ({ role, parts: [{ type: 'text', content: text }] });

function modelCall(span: number, atSecond: number, messages: readonly unknown[]) {
  const attributes = {
    [ATTR_GEN_AI_INPUT_MESSAGES]: JSON.stringify(messages),
    [ATTR_GEN_AI_OUTPUT_MESSAGES]: JSON.stringify([said('assistant', `Answer ${span}.`)]),
  };
  return crossingSpan({ trace: 1, span, parent: 1, kind: 'model', name: 'anthropic.messages', atSecond, attributes });
}

const answers = {
  role: 'tool',
  parts: [
    { type: 'tool_call_response', id: 'toolu_1', response: [{ type: 'text', text: 'the desk' }] },
    { type: 'tool_call_response', id: 'toolu_2', response: 'EACCES: permission denied', is_error: true },
    { type: 'blob', modality: 'audio', mime_type: 'audio/wav', content: silence() },
    { type: 'blob', modality: 'document', mime_type: 'application/pdf', content: 'JVBERi0xLjQ=' },
  ],
};

const conversation = Array.from({ length: 40 }, (_, place) =>
  said(place % 2 === 0 ? 'user' : 'assistant', `Line ${place}.`),
);

/** A run whose tools and model calls ended well, and one of whose tools said that it failed. */
const spans = [
  crossingSpan({ trace: 1, span: 1, kind: 'agent', name: 'clerk' }),
  modelCall(2, 1, [said('user', 'Remove the file.'), answers]),
  crossingSpan({
    trace: 1,
    span: 3,
    parent: 1,
    kind: 'mcp',
    name: 'desk/remove',
    atSecond: 2,
    input: { method: 'tools/call', params: { name: 'remove', arguments: { path: '/desk/a' } } },
    output: { content: [{ type: 'text', text: 'No such\nfile' }], isError: true },
    attributes: { 'error.type': 'tool_error' },
  }),
  crossingSpan({
    trace: 1,
    span: 4,
    parent: 1,
    kind: 'mcp',
    name: 'desk/look',
    atSecond: 3,
    output: { content: [{ type: 'image', mimeType: 'image/png', data: png }] },
  }),
  modelCall(5, 4, conversation),
  modelCall(6, 5, [...conversation.slice(0, 2), said('user', 'In short: 36 lines.'), ...conversation.slice(38)]),
  modelCall(7, 6, [...conversation.slice(0, 2), said('user', 'In short: 37 lines.'), ...conversation.slice(38)]),
];

async function openRun(browser: Browser, httpUrl: string): Promise<WatchedPage> {
  const watched = await openWatched(browser, httpUrl);
  await watched.page.goto(`${httpUrl}/#/runs/${traceIdOf(1)}`);
  await watched.page.locator('.panel').getByText('Attributes').waitFor();
  return watched;
}

async function look(page: Page, span: number): Promise<void> {
  await page.locator(`[data-span="${spanIdOf(span)}"]`).click();
  await page.locator('.panel code').getByText(spanIdOf(span)).waitFor();
  await page.locator('.panel').getByText('Attributes').waitFor();
}

/** Goes on to the next calls of a conversation: it stays chosen that only what is new is shown. */
async function goOn(page: Page): Promise<void> {
  await look(page, 6);
  await page.getByText('4 messages as in the model call before it.').waitFor();
  await page.locator('.panel').getByText('In short: 36 lines.').waitFor();
  await page.getByText('36 messages of that call not asked any more').click();
  await page.locator('.panel').getByText('Line 37.', { exact: true }).waitFor();
  expect(await page.locator('.panel').getByText('Line 39.', { exact: true }).count()).toBe(0);
  await look(page, 7);
  await page.getByText('In other words than in that call:').waitFor();
  const changed = page.locator('.panel .message pre').filter({ hasText: 'In short' });
  expect([await changed.locator('del').textContent(), await changed.locator('ins').textContent()]).toEqual([
    '36',
    '37',
  ]);
}

describe.skipIf(program === undefined)('what tools and models were told, on the page of the collector', () => {
  const testbed = new Testbed();
  const browser = suiteBrowser(program);
  let httpUrl: string;

  const open = (): Promise<WatchedPage> => openRun(browser(), httpUrl);

  beforeAll(async () => {
    ({ httpUrl } = await testbed.start({}, { pageDirectory: PAGE_DIRECTORY }));
    await send(httpUrl, spans);
  });
  afterAll(() => testbed.dispose());

  it('opens at a tool that came back with an error, marks its row, and shows what it said', async () => {
    const { page, complaints } = await open();
    const panel = page.locator('.panel');
    await panel.getByRole('heading', { name: 'mcp desk/remove' }).waitFor();
    await panel.getByText('The tool says that it failed.').waitFor();
    await panel.locator('pre.prose').getByText('No such\nfile', { exact: true }).waitFor();
    await panel
      .locator('.section', { hasText: 'Arguments' })
      .getByText('{"path":"/desk/a"}', { exact: true })
      .waitFor();
    const row = page.locator(`[data-span="${spanIdOf(3)}"]`);
    expect(await row.locator('.bar').getAttribute('class')).toContain('error');
    await row.locator('.bad').getByText('✗ No such file', { exact: true }).waitFor();
    await look(page, 4);
    await expect
      .poll(() => panel.locator('img').evaluate((image) => Reflect.get(image, 'naturalWidth')), patience)
      .toBe(1);
    await panel.getByRole('link', { name: '← failed before it' }).click();
    await panel.getByRole('heading', { name: 'mcp desk/remove' }).waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('says which answer a model was given as an error, plays a sound and names a document', async () => {
    const { page, complaints } = await open();
    await look(page, 2);
    const panel = page.locator('.panel');
    const failed = panel.locator('.message.tool > div').filter({ hasText: 'The tool says that it failed.' });
    await failed.getByText('EACCES: permission denied').waitFor();
    expect(await failed.count()).toBe(1);
    await panel.getByText('audio/wav, 8.0 kB').waitFor();
    await expect
      .poll(() => panel.locator('audio').evaluate((audio) => Reflect.get(audio, 'duration')), patience)
      .toBe(1);
    await panel.getByText('application/pdf, 8 bytes').waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('shows of a long conversation the end first, and only what is new since the call before where that is wanted', async () => {
    const { page, complaints } = await open();
    await look(page, 5);
    const asked = page.locator('.panel details').filter({ hasText: 'Asked (40)' }).first();
    await asked.getByText('Line 39.').waitFor();
    expect(await asked.getByText('Line 2.', { exact: true }).count()).toBe(0);
    await asked.getByText('28 messages before these').click();
    await asked.getByText('Line 2.', { exact: true }).waitFor();
    await page.getByLabel('only what is new since the model call before it').check();
    await page.getByText('0 messages as in the model call before it.').waitFor();
    await goOn(page);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
