import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { setTradingStage, type TradingStage } from '../../scenarios/trading/src/trading-stage.ts';
import { findBrowser } from './find-browser.ts';
import { suiteBrowser } from './suite-browser.ts';
import { openWatched, type WatchedPage } from './watched-page.ts';

const program = findBrowser();

/** Span id of the one crossing of this name in the one run of the stage. */
async function spanIdOf(stage: TradingStage, name: string): Promise<string> {
  const { runs } = JSON.parse((await stage.reenact(['runs', '--json'])).stdout) as { runs: { traceId: string }[] };
  const tree = await (await fetch(`${stage.collectorUrl}/api/v1/runs/${runs[0]?.traceId}`)).json();
  const { crossings } = tree as { crossings: { spanId: string; name: string }[] };
  return crossings.find((crossing) => crossing.name === name)?.spanId ?? '';
}

/** Opens an address as somebody does to whom it was sent. */
async function opensAt(browser: Browser, stage: TradingStage, url: string, heading: string): Promise<void> {
  const { page, complaints } = await openWatched(browser, stage.collectorUrl);
  await page.goto(url);
  await page.locator('.panel').getByRole('heading', { name: heading }).waitFor();
  expect(complaints).toEqual([]);
  await page.context().close();
}

/** A page that shows the run of the stage. */
async function openRun(browser: Browser, { collectorUrl }: TradingStage): Promise<WatchedPage> {
  const watched = await openWatched(browser, collectorUrl);
  await watched.page.goto(`${collectorUrl}/`);
  await watched.page.getByRole('link', { name: 'agent:trader' }).click();
  await watched.page.getByRole('treeitem').first().waitFor();
  return watched;
}

describe.skipIf(program === undefined)('a run, in a browser', () => {
  let stage: TradingStage;
  const browser = suiteBrowser(program);
  let watched: WatchedPage;

  beforeAll(async () => {
    stage = await setTradingStage();
    expect((await stage.node(['--import', 'reenact/register', 'app.ts'])).exitCode).toBe(0);
  });
  beforeEach(async () => {
    watched = await openRun(browser(), stage);
  });
  afterEach(async () => {
    // Nothing failed in its scripts, and nobody but the collector was asked.
    expect(watched.complaints).toEqual([]);
    await watched.page.context().close();
  });
  afterAll(() => stage?.stop());

  it('shows the crossings of a run in time, and how it is replayed as the command line says it', async () => {
    const { page } = watched;
    const rows = page.getByRole('treeitem');
    expect(await rows.count()).toBe(13);
    const shown = (await stage.reenact(['show', 'latest'])).stdout;
    const [, command = 'none'] = /replay it: (.+)/.exec(shown) ?? [];
    await page.getByText(command, { exact: true }).waitFor();
    await page.getByText(/^By agent: trader \d+→\d+ tokens · risk-analyst \d+→\d+ tokens$/).waitFor();
    const lefts = await page
      .locator('.row .bar')
      .evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().x));
    expect(lefts).toHaveLength(13);
    expect(Math.min(...lefts)).toBe(lefts[0]);
  });

  it('shows what a model was asked and answered, and the exact bytes of a tool, chosen by mouse and by keys', async () => {
    const { page } = watched;
    const panel = page.locator('.panel');
    await page.getByRole('treeitem').filter({ hasText: 'place_order({' }).click();
    await panel.getByText('Please sell $1,000 worth of my ACME shares.').first().waitFor();
    await panel.getByText('calls place_order').waitFor();
    await page.getByRole('treeitem', { selected: true }).press('ArrowDown');
    await panel.getByRole('heading', { name: 'tool get_quote' }).waitFor();
    await page.getByRole('treeitem', { selected: true }).press('End');
    await panel.getByText('Done. I sold 1,000 shares of ACME').first().waitFor();
    const before = page.url();
    await page.getByRole('treeitem').filter({ hasText: 'tool place_order' }).click();
    await page.waitForURL(({ href }) => href !== before);
    await panel.getByText('{"symbol":"ACME","side":"sell","quantity":1000}').waitFor();
    // The address names what is looked at: whoever opens it sees the same.
    await opensAt(browser(), stage, page.url(), 'tool place_order');
  });

  it('opens at the span by which the address names the run', async () => {
    const { page } = watched;
    const guardrail = await spanIdOf(stage, 'order-size');
    await page.goto(`${stage.collectorUrl}/#/runs/${guardrail}`);
    await page.locator('.panel').getByRole('heading', { name: 'guardrail order-size' }).waitFor();
  });

  it('folds away what is inside of a crossing', async () => {
    const { page } = watched;
    const retrieval = page.getByRole('treeitem').filter({ hasText: 'retrieval policies' });
    await retrieval.click();
    await retrieval.press('ArrowLeft');
    expect(await page.getByRole('treeitem').count()).toBe(12);
    await retrieval.press('ArrowRight');
    expect(await page.getByRole('treeitem').count()).toBe(13);
  });
});
