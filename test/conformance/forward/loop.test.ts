import { type AddressInfo, createServer } from 'node:net';
import type { CollectorConfigInput, RunningCollector } from '@reenact/collector';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually, makeSpan, postSpans, spanIdOf, Testbed, textAttributes, traceIdOf } from '../testbed.ts';
import { type RecordingEndpoint, startEndpoint } from './recording-endpoint.ts';

type Protocol = 'http' | 'grpc';

const testbed = new Testbed();
const endpoints: RecordingEndpoint[] = [];
const lines: string[] = [];
afterEach(async () => {
  await testbed.dispose();
  for (const endpoint of endpoints.splice(0)) await endpoint.close();
  lines.splice(0);
});

const CROSSING = makeSpan({ attributes: textAttributes({ 'reenact.schema': '1', 'reenact.input': 'i' }) });

/** A port that is free, for a collector whose address another one has to know before it starts. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const portKey = (protocol: Protocol) => (protocol === 'http' ? 'httpPort' : 'grpcPort');

/** Collectors of which each sends on to the next, and the last one to the first. */
async function startRing(count: number, protocol: Protocol, content: 'slim' | 'full'): Promise<RunningCollector[]> {
  const ports: number[] = [];
  for (let index = 0; index < count; index += 1) ports.push(await freePort());
  const configs = ports.map((port, index): CollectorConfigInput => {
    const url = `http://127.0.0.1:${ports[(index + 1) % count]}`;
    return { [portKey(protocol)]: port, forward: [{ name: 'next', url, protocol, content }] };
  });
  const log = (line: string) => void lines.push(line);
  return Promise.all(configs.map((config) => testbed.start(config, { log })));
}

async function postMetrics(collector: RunningCollector): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = '{"resourceMetrics":[]}';
  expect((await fetch(`${collector.httpUrl}/v1/metrics`, { method: 'POST', headers, body })).status).toBe(200);
}

const notForwarded = async (collector: RunningCollector) => (await collector.stats()).received.notForwarded;

describe.each([
  [2, 'http', 'full'],
  [2, 'grpc', 'slim'],
  [3, 'http', 'slim'],
] as const)('a loop over %i collectors, %s, %s', (count, protocol, content) => {
  it('ends where it began, and is told once', async () => {
    const ring = await startRing(count, protocol, content);
    const [first, second] = ring;
    if (first === undefined || second === undefined) throw new Error('a ring has two');
    await postSpans(first.httpUrl, [CROSSING]);
    await postMetrics(first);
    await postMetrics(first);
    await eventually('the way back', async () => (await notForwarded(first)).loop === 3);
    await eventually('empty queues', async () =>
      (await Promise.all(ring.map((collector) => collector.stats()))).every(({ forward }) => forward[0]?.queued === 0),
    );
    // What another sender brings in on the way goes round, too, and ends where it came in.
    await postSpans(second.httpUrl, [makeSpan({ spanId: spanIdOf(2), traceId: traceIdOf(2) })]);
    await eventually('its way back', async () => (await notForwarded(second)).loop === 1);
    await eventually('empty queues again', async () => (await first.stats()).forward[0]?.queued === 0);
    expect((await first.stats()).forward).toMatchObject([{ isHealthy: true, dropped: {} }]);
    for (const collector of ring) expect((await collector.stats()).received.metricRequests).toBeLessThanOrEqual(4);
    const told = lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'items not forwarded');
    expect(told).toMatchObject([
      { reason: 'loop', signal: expect.any(String) },
      { reason: 'loop', signal: expect.any(String) },
      { reason: 'loop', signal: 'traces' },
    ]);
  });
});

describe('what has passed other collectors', () => {
  it('is sent on with their names and this one behind them, also after a restart', async () => {
    const endpoint = await startEndpoint();
    endpoints.push(endpoint);
    endpoint.answer = () => ({ status: 503 });
    const config: CollectorConfigInput = {
      dataDirectory: await testbed.directory(),
      forward: [{ name: 'next', url: endpoint.url, content: 'full' }],
      limits: { forwardBackoffFirstMs: 5, forwardBackoffMaxMs: 20 },
    };
    const others = ['0123456789abcdef', 'fedcba9876543210'];
    const before = await testbed.start(config);
    await postSpans(before.httpUrl, [makeSpan({ spanId: spanIdOf(1) })], 'shop', {
      'x-reenact-passed': others.join(','),
    });
    await postSpans(before.httpUrl, [makeSpan({ spanId: spanIdOf(2) })]);
    await before.stop();
    endpoint.seen.splice(0);
    endpoint.answer = () => ({ status: 200 });
    const collector = await testbed.start(config);
    await eventually('both delivered', async () => (await collector.stats()).forward[0]?.delivered === 2);
    const passed = endpoint.seen.map(({ headers }) => String(headers['x-reenact-passed']).split(','));
    expect(passed).toEqual([[...others, expect.stringMatching(/^[0-9a-f]{16}$/)], [passed[0]?.[2]]]);
  });

  it('is kept, and goes no further beyond a number of them', async () => {
    const endpoint = await startEndpoint();
    endpoints.push(endpoint);
    const collector = await testbed.start({ forward: [{ name: 'next', url: endpoint.url, content: 'full' }] });
    const many = Array.from({ length: 8 }, (_, index) => String(index).padStart(16, '0')).join(',');
    await postSpans(collector.httpUrl, [makeSpan()], 'shop', { 'x-reenact-passed': many });
    expect(await notForwarded(collector)).toEqual({ 'too-far': 1 });
    expect((await collector.stats()).store.spans).toBe(1);
    expect((await collector.stats()).forward).toMatchObject([{ queued: 0, delivered: 0 }]);
  });
});
