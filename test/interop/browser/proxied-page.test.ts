import { readFile } from 'node:fs/promises';
import { PAGE_DIRECTORY } from '@reenact/ui';
import { afterAll, describe, expect, it } from 'vitest';
import { makeSpan, postSpans, spanIdOf, Testbed, traceIdOf } from '../../conformance/testbed.ts';
import { findBrowser } from './find-browser.ts';
import { suiteBrowser } from './suite-browser.ts';
import { type ServerIdentity, startTlsProxy } from './tls-proxy.ts';
import { openWatched } from './watched-page.ts';

const program = findBrowser();
const certificates = new URL('../../conformance/receiver/certificates/', import.meta.url);

async function identity(): Promise<ServerIdentity> {
  const [key, cert] = await Promise.all(
    ['server-key.pem', 'server.pem'].map((name) => readFile(new URL(name, certificates), 'utf8')),
  );
  return { key: key ?? '', cert: cert ?? '' };
}

describe.skipIf(program === undefined)(
  'the page of the collector, behind a proxy with TLS and a path of its own',
  () => {
    const testbed = new Testbed();
    const browser = suiteBrowser(program);

    afterAll(() => testbed.dispose());

    it('asks for nothing outside of that path, and is live', async () => {
      const { httpUrl } = await testbed.start({}, { pageDirectory: PAGE_DIRECTORY });
      const proxy = await startTlsProxy(httpUrl, '/tools/reenact/', await identity());
      try {
        const { page, complaints } = await openWatched(browser(), proxy.url, { ignoreHTTPSErrors: true });
        await page.goto(proxy.url);
        await page.getByText(`OTEL_EXPORTER_OTLP_ENDPOINT=${proxy.url.replace(/\/$/, '')} `).waitFor();
        await page.getByText('live', { exact: true }).waitFor();
        await postSpans(httpUrl, [makeSpan({ traceId: traceIdOf(1), spanId: spanIdOf(1), name: 'far away' })]);
        // Told by the tail: nothing else is asked while the page is open.
        await page.getByRole('link', { name: 'far away' }).click();
        await page.getByRole('heading', { name: 'far away' }).waitFor();
        await page.getByRole('link', { name: 'Drift' }).click();
        await page.getByRole('heading', { name: 'The same input, another outcome' }).waitFor();
        expect(complaints).toEqual([]);
        // What proxies go by that would hold a stream back, or pack it, until there is more of it.
        expect(proxy.answered.get('/api/v1/tail')).toMatchObject({
          'content-type': 'text/event-stream',
          'cache-control': 'no-store, no-transform',
          'x-accel-buffering': 'no',
        });
        await page.context().close();
      } finally {
        await proxy.stop();
      }
    });

    it('is live again behind a proxy that answered meanwhile that the collector is away', async () => {
      const options = { pageDirectory: PAGE_DIRECTORY };
      const collector = await testbed.start({}, options);
      const { httpUrl, dataDirectory } = collector;
      const proxy = await startTlsProxy(httpUrl, '/', await identity());
      try {
        const { page } = await openWatched(browser(), proxy.url, { ignoreHTTPSErrors: true });
        await page.goto(proxy.url);
        await page.getByText('live', { exact: true }).waitFor();
        const refused = page.waitForResponse((response) => response.status() === 502);
        await collector.stop();
        await refused;
        await page.getByRole('status').getByText('no connection, trying again').waitFor();
        await testbed.start({ dataDirectory, httpPort: Number(new URL(httpUrl).port) }, options);
        await page.getByText('live', { exact: true }).waitFor();
        await page.context().close();
      } finally {
        await proxy.stop();
      }
    });
  },
);
