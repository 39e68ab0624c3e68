import { PAGE_DIRECTORY } from '@reenact/ui';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crossingSpan, send } from '../../conformance/query/run-corpus.ts';
import { spanIdOf, Testbed, traceIdOf } from '../../conformance/testbed.ts';
import { findBrowser } from './find-browser.ts';
import { suiteBrowser } from './suite-browser.ts';
import { openWatched } from './watched-page.ts';

const program = findBrowser();

/** Types a word into the box for words as soon as it is there, before anything that waits for the first drawing. */
const TYPING = `
  new MutationObserver((_, observer) => {
    const box = document.querySelector('input[type=search]');
    if (box === null) return;
    observer.disconnect();
    box.value = 'hasty';
    box.dispatchEvent(new Event('input', { bubbles: true }));
  }).observe(document, { childList: true, subtree: true });`;

/** Lets a test hold back what the page is told of its address, as a busy browser does. */
const HOLDING = `
  let isHeld = false;
  addEventListener('hashchange', (event) => { if (isHeld) event.stopImmediatePropagation(); });
  globalThis.hold = () => { isHeld = true; };
  globalThis.release = () => { isHeld = false; dispatchEvent(new Event('hashchange')); };`;

/** Lets a test hold back the answer to a tail, which by then has come. */
const DELAYING = `
  const ask = globalThis.fetch;
  globalThis.tails = [];
  globalThis.fetch = async (url, options) => {
    const answer = await ask(url, options);
    if (String(url).includes('/tail')) await new Promise((resolve) => tails.push(resolve));
    return answer;
  };
  let isHidden = false;
  Object.defineProperty(document, 'hidden', { get: () => isHidden });
  globalThis.hide = () => { isHidden = true; document.dispatchEvent(new Event('visibilitychange')); };`;

describe.skipIf(program === undefined)('the page of the collector, used faster than it is drawn', () => {
  const testbed = new Testbed();
  const browser = suiteBrowser(program);
  let httpUrl: string;

  beforeAll(async () => {
    ({ httpUrl } = await testbed.start({}, { pageDirectory: PAGE_DIRECTORY }));
    await send(httpUrl, [
      crossingSpan({ trace: 1, span: 1, kind: 'agent', name: 'clerk' }),
      ...[1, 2, 3].map((at) => crossingSpan({ trace: 1, span: at + 1, parent: 1, name: `step_${at}`, atSecond: at })),
    ]);
  });
  afterAll(() => testbed.dispose());

  it('keeps what was typed before it was drawn for the first time', async () => {
    const { page } = await openWatched(browser(), httpUrl);
    await page.addInitScript(TYPING);
    await page.goto(`${httpUrl}/`);
    await page.getByRole('link', { name: 'agent:clerk' }).waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('hasty');
    await page.getByRole('searchbox').press('Enter');
    await page.getByText('No run passes these filters.').waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'agent:clerk' }).waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('');
    await page.context().close();
  });

  it('goes where a link leads that was followed right behind a choice of a crossing', async () => {
    const { page } = await openWatched(browser(), httpUrl);
    await page.addInitScript(HOLDING);
    await page.goto(`${httpUrl}/#/runs/${traceIdOf(1)}`);
    await page.locator('.panel').getByRole('heading', { name: 'agent clerk' }).waitFor();
    await page.evaluate(`hold(); document.querySelector('[data-span="${spanIdOf(3)}"]').click()`);
    await page.evaluate('document.querySelector("nav a[href=\\"#/runs\\"]").click()');
    await page.locator('.panel').getByRole('heading', { name: 'tool step_2' }).waitFor();
    await page.locator('.panel').getByText('Attributes').waitFor();
    await page.evaluate('release()');
    await page.getByRole('link', { name: 'agent:clerk' }).waitFor();
    expect(page.url()).toBe(`${httpUrl}/#/runs`);
    await page.context().close();
  });

  it('is not said to be live once it is hidden, by an answer that was on its way', async () => {
    const { page } = await openWatched(browser(), httpUrl);
    await page.addInitScript(DELAYING);
    await page.goto(`${httpUrl}/`);
    await expect.poll(() => page.evaluate('tails.length'), { timeout: 20_000 }).toBe(1);
    await page.evaluate('hide()');
    await page.getByText('not live while this tab is hidden').waitFor();
    await page.evaluate('(async () => { tails[0](); await new Promise(requestAnimationFrame); })()');
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    await page.getByText('not live while this tab is hidden').waitFor();
    await page.context().close();
  });
});
