import {
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
} from '@reenact/semconv/gen-ai';
import { encodeValue } from '@reenact/trace-model';
import { PAGE_DIRECTORY } from '@reenact/ui';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crossingSpan, send } from '../../conformance/query/run-corpus.ts';
import { Testbed, traceIdOf } from '../../conformance/testbed.ts';
import { findBrowser } from './find-browser.ts';
import { suiteBrowser } from './suite-browser.ts';
import { openWatched } from './watched-page.ts';

const program = findBrowser();

/** More presses of the Tab key than any of these pages has places for. */
const TABS_MAX = 60;

const asked = [{ role: 'user', parts: [{ type: 'text', content: 'I want my money back.' }] }];
const answered = [
  { role: 'assistant', parts: [{ type: 'tool_call', id: 'c', name: 'refund', arguments: { usd: -5 } }] },
];

/** A run of an agent that had a tool called by a model, and another service by that tool. */
async function sendRun(httpUrl: string, trace: number, fails: boolean): Promise<void> {
  const root = trace * 10;
  const at = { trace, atSecond: trace };
  const { data = '', digest } = encodeValue(new RangeError('negative')).payload;
  const rejected = {
    attributes: {
      'reenact.outcome': 'threw',
      'reenact.output': '',
      'reenact.error': data,
      'reenact.error.digest': digest,
      'error.type': 'RangeError',
    },
    members: { status: { code: 2, message: 'negative' } },
  } as const;
  const outcome = fails ? rejected : {};
  const messages = {
    [ATTR_GEN_AI_OPERATION_NAME]: 'chat',
    [ATTR_GEN_AI_INPUT_MESSAGES]: JSON.stringify(asked),
    [ATTR_GEN_AI_OUTPUT_MESSAGES]: JSON.stringify(answered),
  };
  await send(httpUrl, [
    crossingSpan({ ...at, span: root, kind: 'agent', name: 'clerk', ...outcome }),
    crossingSpan({ ...at, span: root + 1, parent: root, kind: 'model', name: 'acme.chat', attributes: messages }),
    crossingSpan({ ...at, span: root + 2, parent: root, name: 'refund', input: [{ usd: fails ? -5 : 5 }], ...outcome }),
  ]);
  const hop = crossingSpan({ ...at, span: root + 3, parent: root + 2, kind: 'http', name: 'POST /refunds' });
  await send(httpUrl, [hop], 'ledger');
}

/** Goes by the Tab key to a link or button of this name, and presses it. */
async function pressByKeys(page: Page, role: 'link' | 'button', name: string): Promise<void> {
  const target = page.getByRole(role, { name, exact: true });
  await target.waitFor();
  const isReached = (): Promise<boolean> =>
    target.evaluate((element) => element === element.ownerDocument.activeElement);
  for (let pressed = 0; pressed < TABS_MAX && !(await isReached()); pressed += 1) await page.keyboard.press('Tab');
  expect(await isReached(), name).toBe(true);
  await page.keyboard.press('Enter');
}

describe.skipIf(program === undefined)('the page of the collector, as somebody on call uses it', () => {
  const testbed = new Testbed();
  const browser = suiteBrowser(program);
  let httpUrl: string;

  beforeAll(async () => {
    ({ httpUrl } = await testbed.start({}, { pageDirectory: PAGE_DIRECTORY }));
    await sendRun(httpUrl, 1, false);
    await sendRun(httpUrl, 2, true);
  });
  afterAll(() => testbed.dispose());

  it('leads by keys alone from the list to what failed, to what the model said, and to what differs', async () => {
    const { page, complaints } = await openWatched(browser(), httpUrl);
    const panel = page.locator('.panel');
    await page.goto(`${httpUrl}/#/runs?status=error`);
    await pressByKeys(page, 'link', 'agent:clerk');
    await panel.getByRole('heading', { name: 'tool refund' }).waitFor();
    await page.locator('main:focus').waitFor();
    await page.locator('header.run').getByText('reenact replay').waitFor();
    await pressByKeys(page, 'link', '← model call before it');
    await panel.getByRole('heading', { name: 'model acme.chat' }).waitFor();
    await panel.locator('.message.user').getByText('I want my money back.').waitFor();
    await panel.locator('.message.assistant').getByText('calls refund').waitFor();
    await pressByKeys(page, 'link', 'Compare it with the last good run');
    await page.locator('main.comparison:focus').waitFor();
    await page.getByRole('table', { name: 'Where tool refund differs' }).getByRole('cell', { name: '-5' }).waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('says of a crossing which service it was called in, where that is another than that of its run', async () => {
    const { page } = await openWatched(browser(), httpUrl);
    await page.goto(`${httpUrl}/#/runs/${traceIdOf(2)}`);
    const rows = page.getByRole('treeitem');
    await rows.filter({ hasText: 'POST /refunds' }).getByText('ledger', { exact: true }).waitFor();
    expect(await rows.getByText('ledger', { exact: true }).count()).toBe(1);
    expect(await rows.getByText('shop', { exact: true }).count()).toBe(0);
    await page.context().close();
  });

  it('shows the whole name of what failed, and with what', async () => {
    const { page } = await openWatched(browser(), httpUrl);
    await page.goto(`${httpUrl}/#/runs/${traceIdOf(2)}`);
    const row = page.getByRole('treeitem', { selected: true });
    await row.getByText('RangeError: negative').waitFor();
    const isWhole = await row.locator('.what .name').evaluate((name) => name.scrollWidth <= name.clientWidth);
    expect(isWhole).toBe(true);
    await page.context().close();
  });
});
