import { afterEach, describe, expect, it } from 'vitest';
import { eventually, makeSpan, postSpans, spanIdOf, Testbed } from '../testbed.ts';
import { type GrpcEndpoint, grpcStatus, startGrpcEndpoint } from './grpc-endpoint.ts';

const BUSY = { code: grpcStatus.RESOURCE_EXHAUSTED, details: 'ingestion rate limit exceeded' };
const SPANS = Array.from({ length: 40 }, (_, index) => makeSpan({ spanId: spanIdOf(index) }));

const testbed = new Testbed();
const endpoints: GrpcEndpoint[] = [];
afterEach(async () => {
  await testbed.dispose();
  for (const endpoint of endpoints.splice(0)) endpoint.stop();
});

async function startTo(answer: Parameters<typeof startGrpcEndpoint>[0]) {
  const endpoint = await startGrpcEndpoint(answer);
  endpoints.push(endpoint);
  const forward = [{ name: 'next', url: endpoint.url, protocol: 'grpc' as const, content: 'full' as const }];
  const limits = { forwardBackoffFirstMs: 10, forwardBackoffMaxMs: 40 };
  const collector = await testbed.start({ forward, limits });
  return { endpoint, collector, health: async () => (await collector.stats()).forward[0] };
}

describe('a gRPC destination that has no room and does not say until when', () => {
  it('is sent less and less often, loses nothing however long that is, and has everything later', async () => {
    let isBusy = true;
    const { endpoint, collector, health } = await startTo(() => (isBusy ? BUSY : new Uint8Array(0)));
    await postSpans(collector.httpUrl, SPANS);
    const startedMs = performance.now();
    await eventually('many tries', async () => endpoint.seen.length > 30);
    // Waits of 10, 20, 40, 40 … ms with a jitter down to half of it, and an empty request behind some of them.
    expect(performance.now() - startedMs).toBeGreaterThan(200);
    expect(await health()).toMatchObject({ isHealthy: false, queued: 40, delivered: 0, dropped: {} });
    // No further away than the longest wait, with what this process was held up by.
    const waitMs = Date.parse((await health())?.retryAt ?? '') - Date.now();
    expect(waitMs).toBeLessThanOrEqual(40);
    expect(waitMs).toBeGreaterThan(-10_000);
    isBusy = false;
    await eventually('delivered', async () => (await health())?.delivered === 40);
    expect(await health()).toMatchObject({ isHealthy: true, queued: 0, dropped: {} });
  });

  it('is not sent one item for ever that alone it has no room for', async () => {
    const { collector, health } = await startTo((_number, body) =>
      body.includes('monster') ? BUSY : new Uint8Array(0),
    );
    await postSpans(collector.httpUrl, [...SPANS.slice(0, 9), makeSpan({ spanId: spanIdOf(99), name: 'monster' })]);
    await eventually('the others delivered', async () => (await health())?.delivered === 9);
    await eventually('the one given up', async () => (await health())?.queued === 0);
    expect((await health())?.dropped).toEqual({ 'gRPC RESOURCE_EXHAUSTED ingestion rate limit exceeded': 1 });
  });
});

describe('a gRPC destination that says that a message is too large', () => {
  it.each([
    ['grpc-go', grpcStatus.RESOURCE_EXHAUSTED, 'grpc: received message larger than max (6194304 vs. 4194304)'],
    ['grpc-java', grpcStatus.RESOURCE_EXHAUSTED, 'gRPC message exceeds maximum size 4194304: 5242880'],
    ['.NET', grpcStatus.RESOURCE_EXHAUSTED, 'Received message exceeds the maximum configured message size.'],
    ['tonic', grpcStatus.OUT_OF_RANGE, 'Error, decoded message length too large: found 6 bytes, the limit is: 4 bytes'],
  ])('as %s does is sent smaller ones at once', async (_label, code, details) => {
    const { collector, health, endpoint } = await startTo((_number, body) =>
      body.length > 6000 ? { code, details } : new Uint8Array(0),
    );
    const spans = Array.from({ length: 10 }, (_, index) =>
      makeSpan({ spanId: spanIdOf(index), name: 'n'.repeat(1000) }),
    );
    await postSpans(collector.httpUrl, [...spans, makeSpan({ spanId: spanIdOf(99), name: 'n'.repeat(9000) })]);
    await eventually('10 delivered', async () => (await health())?.delivered === 10);
    await eventually('the one too large given up', async () => (await health())?.queued === 0);
    expect(Object.values((await health())?.dropped ?? {})).toEqual([1]);
    expect(endpoint.seen.length).toBeLessThan(25);
  });
});
