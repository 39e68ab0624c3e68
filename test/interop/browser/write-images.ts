// `npm run images`: what the pages of docs/ show of the collector's page, made anew from the incident of the demo. Needs a browser.
import { setTradingStage, type TradingStage } from '../../scenarios/trading/src/trading-stage.ts';
import { findBrowser } from './find-browser.ts';
import { openWatched, startBrowser } from './watched-page.ts';

const images = new URL('../../../docs/images/', import.meta.url).pathname;

/** Records the order that was refused with the fix, then the one that was placed without it; gives the spans of both runs, in this order. */
async function record(stage: TradingStage): Promise<readonly [refused: string, placed: string]> {
  for (const environment of [{ ORDER_SIZE_FIX: 'on' }, {}]) {
    const { exitCode, stderr } = await stage.node(['--import', 'reenact/register', 'app.ts'], environment);
    if (exitCode !== 0) throw new Error(`The agent was not recorded: ${stderr}`);
  }
  const { stdout } = await stage.reenact(['runs', '--json']);
  const { runs } = JSON.parse(stdout) as { runs: { rootSpanId: string }[] };
  const [placed, refused] = runs;
  if (placed === undefined || refused === undefined) throw new Error('The collector does not have both runs.');
  return [refused.rootSpanId, placed.rootSpanId];
}

async function write(program: string, stage: TradingStage): Promise<void> {
  const [refused, placed] = await record(stage);
  const browser = await startBrowser(program);
  try {
    const { page } = await openWatched(browser, stage.collectorUrl, { width: 1280, height: 760 });
    await page.goto(`${stage.collectorUrl}/#/runs/${placed}`);
    await page.getByRole('treeitem').filter({ hasText: '→ place_order' }).click();
    await page.locator('.panel .message').first().waitFor();
    await page.screenshot({ path: `${images}run.png` });
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.goto(`${stage.collectorUrl}/#/compare/${refused}/${placed}`);
    await page.getByRole('button', { name: 'Open all that differ' }).click();
    await page.screenshot({ path: `${images}comparison.png` });
  } finally {
    await browser.close();
  }
}

const program = findBrowser();
if (program === undefined)
  throw new Error('There is no browser to make images with: install Chromium, then run this again.');
const stage = await setTradingStage();
try {
  await write(program, stage);
} finally {
  await stage.stop();
}
console.log(`Wrote run.png and comparison.png to ${images}`);
