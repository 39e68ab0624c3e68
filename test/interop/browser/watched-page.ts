import { type Browser, chromium, type Page } from 'playwright-core';

/** A page of a browser, and all that went wrong in it or left for elsewhere. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors of its scripts, what it wrote to the console as an error, and requests to any other address. */
  readonly complaints: readonly string[];
}

/** Starts a browser without a window. */
export function startBrowser(executablePath: string): Promise<Browser> {
  // Its own sandbox does not work for root, nor in most containers.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

/** What to open a page with. */
export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
  /** Lets a test put a script into the page, which the page's own policy forbids. */
  readonly bypassCSP?: boolean;
  /** Takes any certificate. */
  readonly ignoreHTTPSErrors?: boolean;
}

/** Opens a page that may load from one address only. */
export async function openWatched(
  browser: Browser,
  ownUrl: string,
  { width = 1400, height = 900, colorScheme = 'light', ...given }: PageOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ ...given, viewport: { width, height }, colorScheme, timezoneId: 'UTC' });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`script: ${error.message}`));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(ownUrl) && !url.startsWith('data:')) complaints.push(`request: ${url}`);
  });
  return { page, complaints };
}
