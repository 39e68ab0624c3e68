import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { startBrowser } from './watched-page.ts';

/** A browser for the cases of the suite that this is called in: started before the first, closed behind the last. `program`: undefined where the suite is left out. */
export function suiteBrowser(program: string | undefined): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await startBrowser(program ?? '');
  });
  afterAll(() => browser?.close());
  return () => {
    if (browser === undefined) throw new Error('The browser of a suite is there within its cases only.');
    return browser;
  };
}
