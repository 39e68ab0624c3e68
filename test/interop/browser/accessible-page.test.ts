import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
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
  ['a list without runs', '/#/runs?service=nobody', '.notice'],
  ['a run', '/#/runs/latest-trace', '.panel .messages, .panel pre'],
  ['a run that is not there', '/#/runs/ffffffffffffffffffffffffffffffff', '[role="alert"]'],
  ['two runs side by side', '/#/compare/other-trace/latest-trace', '.places td'],
  ['a run that asks which one it is compared with', '/#/compare/latest-trace', 'form'],
  ['two runs that cannot be compared', '/#/compare/latest-trace/ffffffffffffffffffffffffffffffff', '[role="alert"]'],
  ['drift', '/#/drift', 'main h1'],
  ['an address that is none', '/#/runs?status=perhaps', '[role="alert"]'],
] as const;

const TELEPHONE_WIDTH = 390;

/** Each page as many see it. */
const views = {
  light: {},
  dark: { colorScheme: 'dark' },
  'on a telephone': { width: TELEPHONE_WIDTH, height: 800 },
} as const;

/** What the rules of WCAG 2.2 AA find on a page as it is. */
async function foundOn(page: Page): Promise<string[]> {
  await page.addScriptTag({ content: axe });
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const { violations } = (await page.evaluate(
    (values) => (globalThis as unknown as { axe: { run(o: object): Promise<unknown> } }).axe.run({ runOnly: values }),
    tags,
  )) as AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

describe.skipIf(program === undefined)('the page of the collector, for everybody', () => {
  let stage: TradingStage;
  const browser = suiteBrowser(program);
  let traceId: string;
  let otherId: string;

  beforeAll(async () => {
    stage = await setTradingStage();
    await stage.node(['--import', 'reenact/register', 'app.ts'], { ORDER_SIZE_FIX: 'on' });
    await stage.node(['--import', 'reenact/register', 'app.ts']);
    const { runs } = JSON.parse((await stage.reenact(['runs', '--json'])).stdout) as { runs: { traceId: string }[] };
    traceId = runs[0]?.traceId ?? '';
    otherId = runs[1]?.traceId ?? '';
  });
  afterAll(() => stage?.stop());

  for (const [name, path, there] of pages) {
    for (const [view, options] of Object.entries(views)) {
      it(`${name}, ${view}: nothing that the rules of WCAG 2.2 AA find, nor beyond an edge`, async () => {
        const { page } = await openWatched(browser(), stage.collectorUrl, { ...options, bypassCSP: true });
        await page.goto(
          `${stage.collectorUrl}${path.replace('latest-trace', traceId).replace('other-trace', otherId)}`,
        );
        await page.locator(there).first().waitFor();
        expect(await foundOn(page)).toEqual([]);
        const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        expect(wide).toBeLessThanOrEqual(0);
        await page.context().close();
      });
    }
  }

  for (const [view, options] of Object.entries(views)) {
    it(`a crossing of which all is opened, ${view}: nothing that these rules find, nor beyond an edge`, async () => {
      const { page } = await openWatched(browser(), stage.collectorUrl, { ...options, bypassCSP: true });
      await page.goto(`${stage.collectorUrl}/#/runs/${traceId}`);
      await page.getByRole('treeitem').filter({ hasText: 'place_order({' }).click();
      await page.locator('.panel .messages').first().waitFor();
      const folded = page.locator('details:not([open]) > summary').filter({ visible: true });
      while ((await folded.count()) > 0) await folded.first().click();
      await page.locator('.exchange[open] pre').first().waitFor();
      expect(await foundOn(page)).toEqual([]);
      const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect(wide).toBeLessThanOrEqual(0);
      await page.context().close();
    });
  }
});
