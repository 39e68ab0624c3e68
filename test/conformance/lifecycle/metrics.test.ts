import { createRequire } from 'node:module';
import { afterAll, describe, expect, it } from 'vitest';
import { startEndpoint } from '../forward/recording-endpoint.ts';
import { eventually, makeSpan, postSpans, spanIdOf, Testbed } from '../testbed.ts';

type Grpc = typeof import('@grpc/grpc-js');
const grpc: Grpc = createRequire(new URL('../../../collector/package.json', import.meta.url))('@grpc/grpc-js') as Grpc;

const testbed = new Testbed();
afterAll(() => testbed.dispose());

/** Every sample by its name and labels. Fails on a line that the text format does not have. */
async function scrape(httpUrl: string): Promise<Map<string, number>> {
  const response = await fetch(`${httpUrl}/metrics`);
  expect(response.headers.get('content-type')).toContain('version=0.0.4');
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const [, name = '', value = ''] = /^([a-z_]+(?:\{(?:[a-z]+="(?:[^"\\]|\\.)*",?)+\})?) (\S+)$/.exec(line) ?? [];
      expect([line, name !== '' && Number.isFinite(Number(value))]).toEqual([line, true]);
      return [name.replace('reenact_collector_', ''), Number(value)];
    }),
  );
}

describe('the metrics of a collector', () => {
  it('count what was received, stored, repeated, rejected, refused and queued', async () => {
    const forward = [{ name: 'gone', url: 'http://127.0.0.1:9', content: 'slim' as const }];
    const { httpUrl } = await testbed.start({ forward });
    await postSpans(httpUrl, [makeSpan(), makeSpan({ spanId: spanIdOf(2) }), makeSpan({ spanId: 'ff' })]);
    await postSpans(httpUrl, [makeSpan()]);
    await fetch(`${httpUrl}/v1/traces`, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' });
    const samples = await scrape(httpUrl);
    expect(Object.fromEntries(samples)).toMatchObject({
      requests_total: 2,
      'received_items_total{signal="spans"}': 4,
      stored_items_total: 2,
      deduplicated_items_total: 1,
      'rejected_items_total{reason="bad-span-id"}': 1,
      'refused_requests_total{code="unsupported"}': 1,
      acknowledge_seconds_count: 2,
      'acknowledge_seconds_bucket{le="+Inf"}': 2,
      in_flight_bytes: 0,
      'store_items{kind="spans"}': 2,
      'forward_queued_items{destination="gone"}': 2,
    });
    expect(samples.get('received_bytes_total')).toBeGreaterThan(100);
  });

  it('say how long what waits longest for a destination has waited, over a restart, and 0 where nothing does', async () => {
    const seconds = 'forward_oldest_queued_seconds{destination="next"}';
    const endpoint = await startEndpoint();
    endpoint.answer = () => ({ status: 503 });
    const forward = [{ name: 'next', url: endpoint.url, content: 'full' as const }];
    const limits = { forwardBackoffFirstMs: 20, forwardBackoffMaxMs: 100 };
    const config = { forward, limits, dataDirectory: await testbed.directory() };
    const first = await testbed.start(config);
    expect((await scrape(first.httpUrl)).get(seconds)).toBe(0);
    const before = Date.now();
    await postSpans(first.httpUrl, [makeSpan()]);
    const after = Date.now();
    await first.stop();
    const second = await testbed.start(config);
    await postSpans(second.httpUrl, [makeSpan({ spanId: spanIdOf(2) })]);
    const queuedMs = Date.parse((await second.stats()).forward[0]?.oldestQueuedAt ?? '');
    expect(queuedMs).toBeGreaterThanOrEqual(before);
    expect(queuedMs).toBeLessThanOrEqual(after);
    expect((await scrape(second.httpUrl)).get(seconds)).toBeGreaterThanOrEqual((Date.now() - after) / 1000 - 1);
    endpoint.answer = () => ({ status: 200 });
    await eventually('delivered', async () => (await second.stats()).forward[0]?.queued === 0);
    expect((await second.stats()).forward[0]).not.toHaveProperty('oldestQueuedAt');
    expect((await scrape(second.httpUrl)).get(seconds)).toBe(0);
    await endpoint.close();
  });

  it('are there for HEAD, too, by which some look whether they are, and for nothing else', async () => {
    const { httpUrl } = await testbed.start();
    const answers = await Promise.all(
      ['HEAD', 'POST'].map((method) => fetch(`${httpUrl}/metrics`, { method, headers: { 'content-length': '0' } })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 405]);
    expect(await answers[0]?.text()).toBe('');
  });
});

function callHealth(grpcUrl: string, service: string): Promise<{ code: number; answer: string }> {
  const client = new grpc.Client(new URL(grpcUrl).host, grpc.credentials.createInsecure());
  const keep = (bytes: Buffer) => bytes;
  const name = Buffer.from(service);
  const body = service === '' ? name : Buffer.concat([Buffer.from([0x0a, name.length]), name]);
  return new Promise((resolve) => {
    client.makeUnaryRequest('/grpc.health.v1.Health/Check', keep, keep, body, (error, answer) => {
      client.close();
      resolve({ code: error?.code ?? 0, answer: answer?.toString('hex') ?? '' });
    });
  });
}

describe('grpc.health.v1', () => {
  it('answers for the server and its services without a token, and knows no others', async () => {
    const sha256 = 'a'.repeat(64);
    const { grpcUrl } = await testbed.start({ tokens: [{ name: 'a', sha256, scopes: ['read'] }] });
    for (const service of ['', 'opentelemetry.proto.collector.trace.v1.TraceService']) {
      expect(await callHealth(grpcUrl, service)).toEqual({ code: 0, answer: '0801' });
    }
    expect((await callHealth(grpcUrl, 'x.Y')).code).toBe(grpc.status.NOT_FOUND);
  });

  it('tells those who watch when the server stops, and is not held up by them', async () => {
    const collector = await testbed.start();
    const client = new grpc.Client(new URL(collector.grpcUrl).host, grpc.credentials.createInsecure());
    const keep = (bytes: Buffer) => bytes;
    const stream = client.makeServerStreamRequest('/grpc.health.v1.Health/Watch', keep, keep, Buffer.alloc(0));
    const seen: string[] = [];
    const first = new Promise<void>((resolve) => {
      stream.on('data', (part: Buffer) => {
        seen.push(part.toString('hex'));
        resolve();
      });
    });
    const ended = new Promise<void>((resolve) => {
      stream.on('end', resolve);
    });
    await first;
    await collector.stop();
    await ended;
    expect(seen).toEqual(['0801', '0802']);
    client.close();
  });
});
