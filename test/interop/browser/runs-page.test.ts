import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { setTradingStage, type TradingStage } from '../../scenarios/trading/src/trading-stage.ts';
import { findBrowser } from './find-browser.ts';
import { suiteBrowser } from './suite-browser.ts';
import { openWatched, type WatchedPage } from './watched-page.ts';

const program = findBrowser();

describe.skipIf(program === undefined)('the list of runs, in a browser, while an agent is recorded', () => {
  let stage: TradingStage;
  const browser = suiteBrowser(program);
  let watched: WatchedPage;
  let recorded = 0;

  /** Records until so many runs are there: each case says how many it needs, whichever ran before it. */
  const record = async (runs: number): Promise<void> => {
    for (; recorded < runs; recorded += 1)
      expect((await stage.node(['--import', 'reenact/register', 'app.ts'])).exitCode).toBe(0);
  };

  beforeAll(async () => {
    stage = await setTradingStage();
  });
  beforeEach(async () => {
    watched = await openWatched(browser(), stage.collectorUrl);
    await watched.page.goto(`${stage.collectorUrl}/`);
  });
  afterEach(async () => {
    // Nothing failed in its scripts, and nobody but the collector was asked.
    expect(watched.complaints).toEqual([]);
    await watched.page.context().close();
  });
  afterAll(() => stage?.stop());

  it('says how to record where nothing is, and shows a run as soon as it comes', async () => {
    const { page } = watched;
    await page.getByText('Nothing is recorded yet').waitFor();
    await page.getByText(`OTEL_EXPORTER_OTLP_ENDPOINT=${stage.collectorUrl}`).waitFor();
    await record(1);
    // Nobody reloads it.
    await page.getByRole('link', { name: 'agent:trader' }).waitFor();
    expect(await page.locator('tr[data-run]').count()).toBe(1);
    // It is told while it goes on, too.
    const row = page.locator('tr[data-run]').first();
    await expect
      .poll(() => row.textContent(), { timeout: 20_000 })
      .toMatch(/trading[\s\S]*gpt-5-mini[\s\S]*1316→115[\s\S]*full/);
    // And what it was about.
    await page.locator('tr.about', { hasText: 'Please sell $1,000' }).getByText('→ Done. I sold').waitFor();
  });

  it('finds words in what was said, and where they are', async () => {
    await record(1);
    const { page } = watched;
    const words = page.getByRole('searchbox');
    await words.fill('"second signature"');
    await words.press('Enter');
    await page.locator('mark', { hasText: 'second' }).first().waitFor();
    await page.locator('tr.hit a').first().click();
    await page.locator('.panel').getByRole('heading', { name: 'embedding openai.embeddings' }).waitFor();
    await page.goBack();
    await page.getByRole('combobox', { name: 'Ended' }).selectOption('in error');
    await page.getByText('No run passes these filters.').waitFor();
    await page.goBack();
    await page.locator('mark').first().waitFor();
  });

  it('adds up tokens, and shows the same input with another outcome', async () => {
    await record(2);
    const { page } = watched;
    await expect.poll(() => page.locator('tr[data-run]').count(), { timeout: 20_000 }).toBe(2);
    await page.getByText('Tokens and cost of all of these runs').click();
    await page.getByText('2 runs · 2632→230 tokens').waitFor();
    await page.getByRole('link', { name: 'Drift' }).click();
    await page.getByRole('heading', { name: 'tool place_order' }).waitFor();
    await page.getByText('2 crossings with equal input, 2 outcomes.').waitFor();
  });
});
