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
  ['two runs side by side', '/#/compare/other-trace/latest-trace', '.places td'],
  ['drift', '/#/drift', 'main h1'],
  ['an address that is none', '/#/runs?status=perhaps', '[role="alert"]'],
] as const;

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
    for (const colorScheme of ['light', 'dark'] as const) {
      it(`${name}, ${colorScheme}: nothing that the rules of WCAG 2.2 AA find`, async () => {
        const { page } = await openWatched(browser(), stage.collectorUrl, { colorScheme, bypassCSP: true });
        await page.goto(
          `${stage.collectorUrl}${path.replace('latest-trace', traceId).replace('other-trace', otherId)}`,
        );
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

  for (const [name, path, there] of pages) {
    it(`${name}, on a telephone: nothing lies beyond its edge`, async () => {
      const { page } = await openWatched(browser(), stage.collectorUrl, { width: 390, height: 800 });
      await page.goto(`${stage.collectorUrl}${path.replace('latest-trace', traceId).replace('other-trace', otherId)}`);
      await page.locator(there).first().waitFor();
      const wide = await page.evaluate('document.documentElement.scrollWidth');
      expect(wide).toBeLessThanOrEqual(390);
      await page.context().close();
    });
  }
});
