import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setTradingStage, type TradingStage } from '../../scenarios/trading/src/trading-stage.ts';
import { findBrowser } from './find-browser.ts';
import { suiteBrowser } from './suite-browser.ts';
import { openWatched } from './watched-page.ts';

const program = findBrowser();
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What each page shows once it has its answer. */
const pages = [
  ['runs', '/#/runs', '.runs tbody tr'],
  ['a search', '/#/runs?text=shares', 'mark'],
  ['a run', '/#/runs/latest-trace', '.panel .messages, .panel pre'],
  ['drift', '/#/drift', 'main h1'],
  ['an address that is none', '/#/runs?status=perhaps', '[role="alert"]'],
] as const;

describe.skipIf(program === undefined)('the page of the collector, for everybody', () => {
  let stage: TradingStage;
  const browser = suiteBrowser(program);
  let traceId: string;

  beforeAll(async () => {
    stage = await setTradingStage();
    await stage.node(['--import', 'reenact/register', 'app.ts']);
    const { runs } = JSON.parse((await stage.reenact(['runs', '--json'])).stdout) as { runs: { traceId: string }[] };
    traceId = runs[0]?.traceId ?? '';
  });
  afterAll(() => stage?.stop());

  for (const [name, path, there] of pages) {
    for (const colorScheme of ['light', 'dark'] as const) {
      it(`${name}, ${colorScheme}: nothing that the rules of WCAG 2.2 AA find`, async () => {
        const { page } = await openWatched(browser(), stage.collectorUrl, { colorScheme, bypassCSP: true });
        await page.goto(`${stage.collectorUrl}${path.replace('latest-trace', traceId)}`);
        await page.locator(there).first().waitFor();
        await page.addScriptTag({ content: axe });
        const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
        const { violations } = (await page.evaluate(
          (values) =>
            (globalThis as unknown as { axe: { run(o: object): Promise<unknown> } }).axe.run({ runOnly: values }),
          tags,
        )) as AxeResults;
        expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
        await page.context().close();
      });
    }
  }

  it('a run that is magnified to twice its size is used by keys alone, and shows nothing beyond an edge', async () => {
    const { page } = await openWatched(browser(), stage.collectorUrl, { width: 640, height: 450 });
    await page.goto(`${stage.collectorUrl}/#/runs/${traceId}`);
    await page.locator('.panel .messages, .panel pre').first().waitFor();
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

  it('a run, with colours that the system forces: bars and what is chosen are to be seen', async () => {
    const { page } = await openWatched(browser(), stage.collectorUrl);
    await page.emulateMedia({ forcedColors: 'active' });
    await page.goto(`${stage.collectorUrl}/#/runs/${traceId}`);
    await page.locator('.panel .messages, .panel pre').first().waitFor();
    const styleOf = (selector: string, name: string): Promise<unknown> =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${name}`);
    expect(await styleOf('.row .bar', 'backgroundColor')).not.toBe(await styleOf('body', 'backgroundColor'));
    expect(await styleOf('.row.selected', 'outlineStyle')).toBe('solid');
    await page.context().close();
  });

  it('a run on paper: the whole of a crossing, and nothing to press', async () => {
    const { page } = await openWatched(browser(), stage.collectorUrl);
    await page.goto(`${stage.collectorUrl}/#/runs/${traceId}`);
    await page.locator('.panel .messages, .panel pre').first().waitFor();
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('button').filter({ visible: true }).count()).toBe(0);
    const cut = await page
      .locator('.tree, .panel, .panel pre')
      .evaluateAll((all) => all.filter((own) => own.scrollHeight > own.clientHeight + 2).length);
    expect(cut).toBe(0);
    await page.context().close();
  });

  for (const [name, path, there] of pages) {
    it(`${name}, on a telephone: nothing lies beyond its edge`, async () => {
      const { page } = await openWatched(browser(), stage.collectorUrl, { width: 390, height: 800 });
      await page.goto(`${stage.collectorUrl}${path.replace('latest-trace', traceId)}`);
      await page.locator(there).first().waitFor();
      const wide = await page.evaluate('document.documentElement.scrollWidth');
      expect(wide).toBeLessThanOrEqual(390);
      await page.context().close();
    });
  }
});
