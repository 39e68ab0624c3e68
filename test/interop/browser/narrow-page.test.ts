import { PAGE_DIRECTORY } from '@reenact/ui';
import { afterAll, describe, expect, it } from 'vitest';
import { crossingSpan, send } from '../../conformance/query/run-corpus.ts';
import { Testbed, traceIdOf } from '../../conformance/testbed.ts';
import { findBrowser } from './find-browser.ts';
import { suiteBrowser } from './suite-browser.ts';
import { openWatched } from './watched-page.ts';

const program = findBrowser();

describe.skipIf(program === undefined)('a run on the page of the collector, on windows of any width', () => {
  const testbed = new Testbed();
  const browser = suiteBrowser(program);

  afterAll(() => testbed.dispose());

  it('a short run on any window: what its axis of time says stands apart', async () => {
    const { httpUrl } = await testbed.start({}, { pageDirectory: PAGE_DIRECTORY });
    await send(httpUrl, [crossingSpan({ trace: 1, span: 1, kind: 'agent', name: 'of five milliseconds' })]);
    const { page } = await openWatched(browser(), httpUrl);
    await page.goto(`${httpUrl}/#/runs/${traceIdOf(1)}`);
    await page.locator('.tick').first().waitFor();
    const counts: number[] = [];
    for (const width of [1280, 800, 600, 390, 320]) {
      await page.setViewportSize({ width, height: 760 });
      const boxes = await page
        .locator('.tick')
        .filter({ visible: true })
        .evaluateAll((ticks) =>
          ticks.map((tick) => {
            const { left, right } = tick.getBoundingClientRect();
            return { left, right };
          }),
        );
      counts.push(boxes.length);
      for (const [at, { left }] of boxes.entries())
        expect(left, `of ${width} pixels`).toBeGreaterThanOrEqual(boxes[at - 1]?.right ?? 0);
    }
    expect(counts[0]).toBe(5);
    expect(Math.min(...counts)).toBeGreaterThan(0);
    await page.context().close();
  });
});
