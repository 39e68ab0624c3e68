import type { Span } from '@reenact/otlp';
import { PAGE_DIRECTORY } from '@reenact/ui';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { crossingSpan, send } from '../../conformance/query/run-corpus.ts';
import { spanIdOf, Testbed, traceIdOf } from '../../conformance/testbed.ts';
import { findBrowser } from './find-browser.ts';
import { suiteBrowser } from './suite-browser.ts';
import { openWatched, type WatchedPage } from './watched-page.ts';

const program = findBrowser();

type PlannedStep = readonly [name: string, input: unknown, output?: unknown];

const failed = { status: { code: 2, message: 'rejected' } } as const;

/** A run of an agent, of which each step is a second long. */
function runOf(trace: number, steps: readonly PlannedStep[], more: { agent?: string; fails?: boolean } = {}): Span[] {
  const { agent = 'trader', fails = false } = more;
  const root = trace * 10_000;
  const members = fails ? failed : {};
  return [
    crossingSpan({ trace, span: root, kind: 'agent', name: agent, input: ['sell'], atSecond: trace * 100, members }),
    ...steps.map(([name, input, output = 'done'], place) =>
      crossingSpan({
        trace,
        span: root + place + 1,
        parent: root,
        name,
        input: [input],
        output,
        atSecond: trace * 100 + place,
      }),
    ),
  ];
}

const quotes = (count: number, from = 0): PlannedStep[] =>
  Array.from({ length: count }, (_, place) => ['get_quote', { place: from + place }]);

function stepOf(page: Page, name: string) {
  return page.locator('.steps > li').filter({ hasText: name });
}

/** A collector with two runs, of which the second failed, for the suite that this is called in, and a page for each of its cases. */
function comparedStage(): { url: () => string; watched: () => WatchedPage; browser: () => Browser } {
  const testbed = new Testbed();
  const browser = suiteBrowser(program);
  let url = '';
  let watched: WatchedPage | undefined;
  beforeAll(async () => {
    url = (await testbed.start({}, { pageDirectory: PAGE_DIRECTORY })).httpUrl;
    await send(url, runOf(1, [...quotes(9), ['check', { shares: 5 }], ['place_order', { shares: 5 }]]));
    const wrong: PlannedStep[] = [
      ['get_news', 'ACME'],
      ['place_order', { shares: 1_000 }],
    ];
    await send(url, runOf(2, [...quotes(9), ...wrong], { fails: true }));
  });
  beforeEach(async () => {
    watched = await openWatched(browser(), url);
  });
  afterEach(async () => {
    // Nothing failed in its scripts, and nobody but the collector was asked.
    expect(watched?.complaints).toEqual([]);
    await watched?.page.context().close();
  });
  afterAll(() => testbed.dispose());
  return { url: () => url, watched: () => watched as WatchedPage, browser };
}

describe.skipIf(program === undefined)('two runs side by side, reached from a run, in a browser', () => {
  const stage = comparedStage();

  it('is reached from a failed run, beside the last good one of its kind', async () => {
    const { page } = stage.watched();
    await page.goto(`${stage.url()}/#/runs/${traceIdOf(2)}`);
    await page.getByRole('link', { name: 'Compare it with the last good run' }).click();
    await page.getByRole('heading', { name: 'Two runs side by side' }).waitFor();
    await page.getByText('Different: 3 steps differ.').waitFor();
    expect(page.url()).toBe(`${stage.url()}/#/compare/${spanIdOf(10_000)}/${spanIdOf(20_000)}`);
    const lines = await page.locator('.steps > li').allInnerTexts();
    expect(lines.map((line) => line.replaceAll(/\s+/g, ' ').trim())).toEqual([
      '= agent trader equal a b',
      '9 equal crossings',
      expect.stringContaining('get_news only in b'),
      expect.stringContaining('check only in a'),
      expect.stringContaining('~ tool place_order input changed'),
    ]);
  });

  it('is reached from a run that did not fail, beside any good one of its kind before it', async () => {
    const { page } = stage.watched();
    await send(stage.url(), runOf(8, [...quotes(9), ['check', { shares: 5 }], ['place_order', { shares: 1_000 }]]));
    await page.goto(`${stage.url()}/#/runs/${traceIdOf(8)}`);
    await page.getByText('Compare it with another run').click();
    await page.getByRole('link', { name: /Compare it with the run of 2025-/ }).click();
    await page.getByText('Different: 1 step differs.').waitFor();
  });

  it('takes any other run by its id, and says that it is of another program and has nothing in common', async () => {
    const { page } = stage.watched();
    await send(stage.url(), runOf(3, [['weather', 'Lisbon']], { agent: 'guide' }));
    await page.goto(`${stage.url()}/#/runs/${traceIdOf(1)}`);
    await page.getByText('Compare it with another run').click();
    await page.getByText('No good run of its kind was found before it.').waitFor();
    await page.getByLabel('Trace id or span id of the other run').fill(`  ${traceIdOf(3).toUpperCase()} `);
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByText('These are runs of different programs: a is agent:guide of shop').waitFor();
    await page.getByText('They called nothing in common').waitFor();
    await page.getByRole('link', { name: 'Swap a and b' }).click();
    await page.getByText('These are runs of different programs: a is agent:trader of shop').waitFor();
  });
});

describe.skipIf(program === undefined)('what differs between two runs, in a browser', () => {
  const stage = comparedStage();

  it('shows where a crossing differs, opened by a key, and leads to it in each run', async () => {
    const { page } = stage.watched();
    await page.goto(`${stage.url()}/#/runs/${traceIdOf(2)}`);
    await page.goto(`${stage.url()}/#/compare/${traceIdOf(1)}/${traceIdOf(2)}`);
    const order = stepOf(page, 'place_order');
    const summary = order.locator('summary');
    await summary.focus();
    expect(await order.locator('details').getAttribute('open')).toBeNull();
    await summary.press('Enter');
    const cells = order.getByRole('table', { name: 'Where tool place_order differs' }).getByRole('cell');
    // A part that is opened says so later than the key is answered.
    await cells.first().waitFor();
    expect(await cells.allInnerTexts()).toEqual(['5', '1000']);
    expect(await order.getByRole('rowheader').textContent()).toBe('input $[0].shares');
    await page.getByRole('link', { name: 'tool place_order in a' }).click();
    await page.locator('.panel').getByRole('heading', { name: 'tool place_order' }).waitFor();
    expect(page.url()).toBe(`${stage.url()}/#/runs/${traceIdOf(1)}/${spanIdOf(10_011)}`);
    await page.goBack();
    await page.getByText('Different: 3 steps differ.').waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'agent:trader' }).waitFor();
    await page.goForward();
  });

  it('shows what the address says by the time that it is drawn for the first time', async () => {
    const { page } = await openWatched(stage.browser(), stage.url());
    const compared = `#/compare/${traceIdOf(1)}/${traceIdOf(2)}`;
    await page.addInitScript(`addEventListener('DOMContentLoaded', () => { location.hash = '${compared}'; })`);
    await page.goto(`${stage.url()}/#/runs/${traceIdOf(2)}`);
    await page.getByText('Different: 3 steps differ.').waitFor();
    await page.context().close();
  });

  it('opens what is equal, and what differs all at once', async () => {
    const { page } = stage.watched();
    await page.goto(`${stage.url()}/#/compare/${traceIdOf(1)}/${traceIdOf(2)}`);
    await page.reload();
    await page.getByRole('button', { name: '9 equal crossings' }).click();
    expect(await page.locator('.steps > li').count()).toBe(13);
    await page.getByRole('button', { name: 'Close all' }).click();
    expect(await page.locator('.places').count()).toBe(0);
    await page.getByRole('button', { name: 'Open all that differ' }).click();
    await page.locator('.places').waitFor();
    await page.getByRole('button', { name: 'Go to what differs first' }).click();
    const first = await page.evaluate("document.activeElement?.closest('[data-difference]')?.dataset.difference");
    expect(first).toBe('1');
  });

  it('shows runs of 2,500 crossings, of which what differs stays in sight', async () => {
    const { page } = stage.watched();
    await send(stage.url(), runOf(6, quotes(2_500)));
    await send(stage.url(), runOf(7, [...quotes(2_000), ['get_news', 'ACME'], ...quotes(499, 2_001)]));
    await page.goto(`${stage.url()}/#/compare/${traceIdOf(6)}/${traceIdOf(7)}`);
    await page.getByText('Different: 2 steps differ.').waitFor();
    expect(await page.locator('.steps > li').count()).toBe(5);
    await page.getByRole('button', { name: '2000 equal crossings' }).click();
    await page.getByRole('button', { name: 'Show all 2004 lines' }).click();
    expect(await page.locator('.steps > li').count()).toBe(2_004);
  });
});

describe.skipIf(program === undefined)(
  'two runs that are equal, cannot be compared, or differ in texts of JSON, in a browser',
  () => {
    const stage = comparedStage();

    it('shows JSON in texts of JSON without its escapes', async () => {
      const { page } = stage.watched();
      const call = (quantity: number) => ({ arguments: JSON.stringify({ quantity }) });
      await send(stage.url(), runOf(10, [['ask', { calls: 'none' }]]));
      await send(stage.url(), runOf(11, [['ask', { calls: JSON.stringify([call(1_000)]) }]]));
      await page.goto(`${stage.url()}/#/compare/${traceIdOf(10)}/${traceIdOf(11)}`);
      await page.getByRole('button', { name: 'Open all that differ' }).click();
      const cells = page.getByRole('table', { name: 'Where tool ask differs' }).getByRole('cell');
      await cells.first().waitFor();
      expect(await cells.allInnerTexts()).toEqual(['"none"', '"[{"arguments":"{"quantity":1000}"}]"']);
    });

    it('says that two runs are equal, and what could not be compared', async () => {
      const { page } = stage.watched();
      await send(stage.url(), runOf(4, quotes(2)));
      const dark = runOf(5, quotes(2)).map((span) => ({
        ...span,
        attributes: (span.attributes ?? []).filter(({ key }) => !key.startsWith('reenact.output')),
      }));
      await send(stage.url(), dark);
      await page.goto(`${stage.url()}/#/compare/${traceIdOf(4)}/${traceIdOf(4)}`);
      await page.getByText('Equal: every step was compared, and none differs.').waitFor();
      await page.goto(`${stage.url()}/#/compare/${traceIdOf(4)}/${traceIdOf(5)}`);
      await page.getByText('Not verified: nothing differs in what was recorded, but not everything was.').waitFor();
      await page.getByText('the outcome was not recorded in the second recording').waitFor();
    });

    it('says why runs cannot be compared, and how they are on a terminal', async () => {
      const { page, complaints } = await openWatched(stage.browser(), stage.url());
      await page.goto(`${stage.url()}/#/compare/${traceIdOf(1)}/${traceIdOf(99)}`);
      await page
        .getByRole('alert')
        .getByText(`There is no trace ${traceIdOf(99)}.`)
        .waitFor();
      await page.getByText(`reenact diff ${traceIdOf(1)} ${traceIdOf(99)}`, { exact: true }).waitFor();
      await page.goto(`${stage.url()}/#/compare/${traceIdOf(1)}`);
      await page.getByLabel('Trace id or span id of the other run').waitFor();
      // The browser itself tells of an answer that is no success.
      expect(complaints.filter((complaint) => !complaint.includes('404'))).toEqual([]);
      await page.context().close();
    });
  },
);
