import { PAGE_DIRECTORY } from '@reenact/ui';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crossingSpan, send } from '../../conformance/query/run-corpus.ts';
import { Testbed, traceIdOf } from '../../conformance/testbed.ts';
import { findBrowser } from './find-browser.ts';
import { suiteBrowser } from './suite-browser.ts';
import { openWatched } from './watched-page.ts';

const program = findBrowser();

describe.skipIf(program === undefined)('a run on the page of the collector, seen otherwise than most see it', () => {
  const testbed = new Testbed();
  const browser = suiteBrowser(program);
  let httpUrl: string;

  beforeAll(async () => {
    ({ httpUrl } = await testbed.start({}, { pageDirectory: PAGE_DIRECTORY }));
    const text = 'a long text '.repeat(500);
    await send(httpUrl, [
      crossingSpan({ trace: 1, span: 1, kind: 'agent', name: 'clerk', input: [text], output: text }),
      ...Array.from({ length: 60 }, (_, at) => crossingSpan({ trace: 1, span: at + 2, parent: 1, atSecond: at })),
    ]);
  });
  afterAll(() => testbed.dispose());

  it('a run that is magnified to twice its size is used by keys alone, and shows nothing beyond an edge', async () => {
    const { page } = await openWatched(browser(), httpUrl, { width: 640, height: 450 });
    await page.goto(`${httpUrl}/#/runs/${traceIdOf(1)}`);
    await page.locator('.panel pre').first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(640);
    const row = page.getByRole('treeitem', { selected: true });
    const isReached = (): Promise<unknown> => page.evaluate('document.activeElement.role === "treeitem"');
    for (let pressed = 0; pressed < 40 && (await isReached()) !== true; pressed += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowUp');
    const place = await row.boundingBox();
    expect(place?.y).toBeGreaterThanOrEqual(0);
    expect((place?.y ?? 0) + (place?.height ?? 0)).toBeLessThanOrEqual(450);
    await page.context().close();
  });

  it('a run on any window: its axis of time begins where the bars begin', async () => {
    const { page } = await openWatched(browser(), httpUrl);
    await page.goto(`${httpUrl}/#/runs/${traceIdOf(1)}`);
    const left = async (selector: string): Promise<number> =>
      (await page.locator(selector).first().boundingBox())?.x ?? Number.NaN;
    for (const width of [1280, 800, 390]) {
      await page.setViewportSize({ width, height: 760 });
      expect(await left('.tick')).toBeCloseTo(await left('.row .when'), 0);
    }
    await page.context().close();
  });

  it('a run, with colours that the system forces: bars and what is chosen are to be seen', async () => {
    const { page } = await openWatched(browser(), httpUrl);
    await page.emulateMedia({ forcedColors: 'active' });
    await page.goto(`${httpUrl}/#/runs/${traceIdOf(1)}`);
    await page.locator('.panel pre').first().waitFor();
    const styleOf = (selector: string, name: string): Promise<unknown> =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${name}`);
    expect(await styleOf('.row .bar', 'backgroundColor')).not.toBe(await styleOf('body', 'backgroundColor'));
    expect(await styleOf('.row.selected', 'outlineStyle')).toBe('solid');
    await page.context().close();
  });

  it('a run on paper: the whole of a crossing, and nothing to press', async () => {
    const { page } = await openWatched(browser(), httpUrl);
    await page.goto(`${httpUrl}/#/runs/${traceIdOf(1)}`);
    await page.locator('.panel pre').first().waitFor();
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('button').filter({ visible: true }).count()).toBe(0);
    const cut = await page
      .locator('.tree, .panel, .panel pre')
      .evaluateAll((all) => all.filter((own) => own.scrollHeight > own.clientHeight + 2).length);
    expect(cut).toBe(0);
    await page.context().close();
  });
});
