import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { expect, it } from 'vitest';
import { RETRY_ASKED_MS_MAX, RETRY_DELAY_MS, RETRY_SPREAD } from '../limits.ts';
import { exportBatch } from '../sending/export-batch.ts';
import { retryWaitMs } from './retry-wait.ts';

it.each([
  ['an hour, and is asked after a few minutes all the same', '3600', 3_600_000, RETRY_ASKED_MS_MAX],
  ['a minute', '60', 60_000, 60_000],
  ['nothing', undefined, undefined, RETRY_DELAY_MS],
])('waits for a receiver that asks for %s', async (_, header, askedMs, leastMs) => {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(503, header === undefined ? {} : { 'retry-after': header }).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const exporter = new OTLPTraceExporter({ url: `http://127.0.0.1:${port}/v1/traces`, timeoutMillis: 500 });
  try {
    const outcome = await exportBatch(exporter, []);
    expect(outcome).toMatchObject({ type: 'failed', askedMs });
    const waits = [0, 0.5].map((random) => retryWaitMs(RETRY_DELAY_MS, askedMs, () => random));
    expect(waits).toEqual([leastMs, leastMs * (1 + RETRY_SPREAD / 2)]);
  } finally {
    await exporter.shutdown();
    server.close();
  }
});
