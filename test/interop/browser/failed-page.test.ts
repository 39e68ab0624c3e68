import { digestOf } from '@reenact/trace-model';
import { PAGE_DIRECTORY } from '@reenact/ui';
import { afterAll, describe, expect, it } from 'vitest';
import { crossingSpan, send } from '../../conformance/query/run-corpus.ts';
import { spanIdOf, Testbed, traceIdOf } from '../../conformance/testbed.ts';
import { findBrowser } from './find-browser.ts';
import { suiteBrowser } from './suite-browser.ts';
import { openWatched } from './watched-page.ts';

const program = findBrowser();
const options = { pageDirectory: PAGE_DIRECTORY };

/** A run of so many crossings, of which the last failed where `error` says how. */
function runSpans(count: number, error?: string) {
  const steps = Array.from({ length: count }, (_, index) =>
    crossingSpan({ trace: 1, span: index + 2, parent: 1, name: 'step', input: [{ place: index }], atSecond: index }),
  );
  const status = { code: 2, message: error ?? '' } as const;
  const threw = (message: string) => {
    const record = JSON.stringify({ class: 'Error', name: 'BankError', message, stack: message });
    return {
      'reenact.outcome': 'threw',
      'reenact.error': record,
      'reenact.error.digest': digestOf(record),
      'error.type': 'BankError',
    };
  };
  const failed =
    error === undefined
      ? []
      : [
          crossingSpan({
            trace: 1,
            span: 5_000,
            parent: 1,
            name: 'refund',
            input: [{ usd: 'none' }],
            atSecond: count,
            attributes: threw(error),
            members: { status },
          }),
        ];
  const root = { trace: 1, span: 1, kind: 'agent', name: 'clerk' };
  return [
    crossingSpan(error === undefined ? root : { ...root, attributes: threw(error), members: { status } }),
    ...steps,
    ...failed,
  ];
}

describe.skipIf(program === undefined)('the page of the collector, of a long run and one that failed', () => {
  const testbed = new Testbed();
  const browser = suiteBrowser(program);

  afterAll(() => testbed.dispose());

  it('says at once what failed, with what and how it is replayed, however long the run is', async () => {
    const { httpUrl } = await testbed.start({}, options);
    const good = { trace: 2, kind: 'agent', name: 'clerk', atSecond: -60 };
    await send(httpUrl, [
      crossingSpan({ ...good, span: 6_000 }),
      crossingSpan({ ...good, trace: 3, span: 6_001, atSecond: 90 }),
    ]);
    await send(httpUrl, runSpans(60, 'the amount must be positive'));
    const { page, complaints } = await openWatched(browser(), httpUrl);
    await page.goto(`${httpUrl}/`);
    await page.locator('tbody').getByText('BankError', { exact: true }).waitFor();
    await page.goto(`${httpUrl}/#/runs/${traceIdOf(1)}`);
    const failure = page.locator('.failure');
    await failure.getByText('the amount must be positive').waitFor();
    await failure.getByText('usd').waitFor();
    const direction = await page.evaluate('getComputedStyle(document.querySelector(".failure strong")).unicodeBidi');
    expect(direction).toBe('isolate');
    await page.locator('.panel').getByRole('heading', { name: 'tool refund' }).waitFor();
    const selected = page.getByRole('treeitem', { selected: true });
    for (const seen of [failure, page.locator('.command').last(), selected]) {
      const box = await seen.boundingBox();
      expect(box?.y).toBeGreaterThanOrEqual(0);
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(900);
    }
    await page.getByText(`reenact diff ${spanIdOf(6_000)} ${spanIdOf(1)}`).waitFor();
    await page.getByRole('treeitem').first().click();
    await page.locator('.panel').getByRole('heading', { name: 'agent clerk' }).waitFor();
    await failure.getByRole('link', { name: 'tool refund' }).click();
    await page.locator('.panel').getByRole('heading', { name: 'tool refund' }).waitFor();
    await page.setViewportSize({ width: 640, height: 450 });
    await page.goto(`${httpUrl}/#/`);
    await page.goto(`${httpUrl}/#/runs/${traceIdOf(1)}`);
    await page.locator('.panel').getByRole('heading', { name: 'tool refund' }).waitFor();
    expect(await page.evaluate('scrollY')).toBe(0);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('reads only the crossing where a key that is held down stops,', async () => {
    const { httpUrl } = await testbed.start({}, options);
    await send(httpUrl, runSpans(1_500));
    const { page } = await openWatched(browser(), httpUrl);
    await page.goto(`${httpUrl}/#/runs/${traceIdOf(1)}`);
    const heading = page.locator('.panel').getByRole('heading');
    await heading.getByText('clerk').waitFor();
    await page.getByRole('treeitem').first().click();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(...(/\/spans\/(\w+)/.exec(request.url())?.slice(1) ?? [])));
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    for (let pressed = 0; pressed < 40; pressed += 1) await page.keyboard.press('ArrowDown');
    await page.locator(`[data-span="${spanIdOf(41)}"][aria-selected="true"]:focus`).waitFor();
    await page.clock.runFor(1_000);
    await page.waitForURL(`**/${spanIdOf(41)}`);
    await page.locator('.panel code').getByText(spanIdOf(41)).waitFor();
    await page.locator('.panel').getByText('Attributes').waitFor();
    // The first key is answered at once.
    expect(asked).toEqual([spanIdOf(2), spanIdOf(41)]);
    await page.context().close();
  });
});
