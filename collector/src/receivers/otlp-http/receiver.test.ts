import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ReenactError } from '@reenact/trace-model';
import { afterEach, describe, expect, it } from 'vitest';
import { createAuthorizer } from '../../access/authorizer.ts';
import { createCounters } from '../../counters.ts';
import { createLog } from '../../logging/log.ts';
import { Refusals } from '../../refusals.ts';
import { Admission } from '../admission.ts';
import type { Ingest } from '../ingest.ts';
import { createOtlpHttpReceiver } from './receiver.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function serve(ingest: Ingest, admission = new Admission(1000)): Promise<string> {
  const receive = createOtlpHttpReceiver({
    ingest,
    admission,
    refusals: new Refusals(
      createCounters(),
      createLog('silent', () => undefined),
    ),
    authorizer: createAuthorizer([]),
    requestBytesMax: 1000,
    requestTimes: { stallMs: 10_000, timeMaxMs: 10_000 },
  });
  const server = createServer((request, response) => receive(request.url ?? '', request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  closers.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`;
}

const post = (url: string, bytes: number) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: ' '.repeat(bytes) });

describe('the OTLP/HTTP receiver in trouble', () => {
  it.each(['store-failed', 'store-busy'] as const)('answers %s with 503 and when to retry', async (code) => {
    const url = await serve(() => Promise.reject(new ReenactError(code, 'The disk is full.', { retryable: true })));
    const response = await post(url, 10);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await response.json()).toMatchObject({
      code: 14,
      message: 'The disk is full.',
      details: [{ retryDelay: '1s' }],
    });
  });

  it('answers a defect with 500 and lives on', async () => {
    const url = await serve(() => Promise.reject(new TypeError('oops')));
    expect((await post(url, 10)).status).toBe(500);
    expect((await post(url, 10)).status).toBe(500);
  });

  it('refuses what does not fit beside what is in work, and takes it afterwards', async () => {
    const admission = new Admission(1000);
    const { promise: release, resolve } = Promise.withResolvers<void>();
    const { promise: isInside, resolve: enter } = Promise.withResolvers<void>();
    const url = await serve(async () => {
      enter();
      await release;
      return { rejected: 0, message: '' };
    }, admission);
    const first = post(url, 600);
    await isInside;
    expect((await post(url, 600)).status).toBe(503);
    resolve();
    expect((await first).status).toBe(200);
    expect((await post(url, 600)).status).toBe(200);
  });
});
