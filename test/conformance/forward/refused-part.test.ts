import type { RunningCollector } from '@reenact/collector';
import { decodeTracesProtobuf, encodeExportResponse } from '@reenact/otlp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually, makeSpan, postSpans, spanIdOf, spansOf, Testbed, traceIdOf } from '../testbed.ts';
import { grpcStatus, startGrpcEndpoint } from './grpc-endpoint.ts';
import { type RecordingEndpoint, type SeenRequest, startEndpoint } from './recording-endpoint.ts';

const SPANS = 512;
/** A request, and for each of 64 splits two parts. */
const REQUESTS_MAX = 1 + 2 * 64;

let testbed: Testbed;
let endpoint: RecordingEndpoint;
let lines: string[];
beforeEach(async () => {
  testbed = new Testbed();
  endpoint = await startEndpoint();
  lines = [];
});
afterEach(async () => {
  await testbed.dispose();
  await endpoint.close();
});

const isAboutBad = ({ body }: Pick<SeenRequest, 'body'>) => body.includes('bad');

function startCollector(url: string, protocol: 'http' | 'grpc' = 'http'): Promise<RunningCollector> {
  const forward = [{ name: 'next', url, protocol, content: 'full' as const }];
  const limits = { forwardBackoffFirstMs: 20, forwardBackoffMaxMs: 100 };
  return testbed.start({ forward, limits }, { log: (line) => void lines.push(line) });
}

/** Sends so many spans in one request, of which these are bad. */
async function sendSpans({ httpUrl }: RunningCollector, bad: readonly number[], from = 0): Promise<void> {
  const spans = Array.from({ length: SPANS }, (_, place) => from + place).map((number) =>
    makeSpan({ traceId: traceIdOf(number), spanId: spanIdOf(number), name: bad.includes(number) ? 'bad' : 'fine' }),
  );
  expect((await postSpans(httpUrl, spans)).status).toBe(200);
}

async function settle(url: string, bad: readonly number[], protocol: 'http' | 'grpc' = 'http') {
  const collector = await startCollector(url, protocol);
  await sendSpans(collector, bad);
  return untilSettled(collector);
}

async function untilSettled(collector: RunningCollector, count = SPANS) {
  return eventually('everything settled', async () => {
    const [health] = (await collector.stats()).forward;
    const dropped = Object.values(health?.dropped ?? {}).reduce((sum, count) => sum + count, 0);
    return (health?.delivered ?? 0) + dropped === count && health;
  });
}

/** How often the destination took each span. */
function takenSpans(bodies: readonly Buffer[]): string[] {
  return bodies
    .filter((body) => !isAboutBad({ body }))
    .flatMap((body) => {
      const decoded = decodeTracesProtobuf(body);
      return decoded.ok
        ? spansOf(decoded.value).map(({ spanId }) => spanId ?? '')
        : expect.fail(decoded.problem.message);
    });
}

const told = (event: string) => lines.map((line) => JSON.parse(line)).filter((line) => line.event === event);

describe('a destination that refuses a request for some of its spans', () => {
  it.each([[0], [300], [511]])('gets all others, each once, and the log names span %i', async (bad) => {
    endpoint.answer = (_number, request) => ({ status: isAboutBad(request) ? 400 : 200 });
    const health = await settle(endpoint.url, [bad]);
    expect(health).toMatchObject({ delivered: SPANS - 1, dropped: { 'HTTP 400': 1 } });
    const taken = takenSpans(endpoint.seen.map(({ body }) => body));
    expect(taken.length).toBe(SPANS - 1);
    expect(new Set(taken).size).toBe(SPANS - 1);
    expect(endpoint.seen.length).toBeLessThan(25);
    expect(told('destination refused items for good')).toMatchObject([
      {
        destination: 'next',
        reason: 'HTTP 400',
        count: 1,
        items: `${traceIdOf(bad)}/${spanIdOf(bad)}`,
      },
    ]);
  });

  it('gets all others over gRPC, too', async () => {
    const done = encodeExportResponse({ rejected: 0, message: '' });
    const refusal = { code: grpcStatus.INVALID_ARGUMENT, details: 'no such span' };
    const grpcEndpoint = await startGrpcEndpoint((_number, body) => (isAboutBad({ body }) ? refusal : done));
    try {
      const health = await settle(grpcEndpoint.url, [7, 400], 'grpc');
      expect(health).toMatchObject({ delivered: SPANS - 2, dropped: { 'gRPC INVALID_ARGUMENT no such span': 2 } });
      expect(takenSpans(grpcEndpoint.seen).length).toBe(SPANS - 2);
    } finally {
      grpcEndpoint.stop();
    }
  });

  it('goes on where it was after it was away in between', async () => {
    endpoint.answer = (number, request) => ({ status: number % 3 === 2 ? 503 : isAboutBad(request) ? 400 : 200 });
    const health = await settle(endpoint.url, [300]);
    expect(health).toMatchObject({ delivered: SPANS - 1, dropped: { 'HTTP 400': 1 } });
  });
});

describe('a destination that refuses a request', () => {
  it('is asked a bounded number of times where very many of its spans are bad', async () => {
    endpoint.answer = (_number, request) => ({ status: isAboutBad(request) ? 400 : 200 });
    const bad = Array.from({ length: SPANS / 2 }, (_, number) => 2 * number);
    const health = await settle(endpoint.url, bad);
    expect(endpoint.seen.filter(({ body }) => body.length > 0).length).toBeLessThanOrEqual(REQUESTS_MAX);
    expect(health.delivered).toBe(takenSpans(endpoint.seen.map(({ body }) => body)).length);
    expect(health.delivered).toBeGreaterThan(0);
  });

  it('is not asked for each of them where it refuses whatever it is sent', async () => {
    endpoint.answer = () => ({ status: 400 });
    expect(await settle(endpoint.url, [])).toMatchObject({ delivered: 0, dropped: { 'HTTP 400': SPANS } });
    const withSpans = endpoint.seen.filter(({ body }) => body.length > 0);
    expect(withSpans.length).toBeLessThan(25);
  });

  it('is asked less often for what comes behind a request of which it took nothing, though it takes empty ones', async () => {
    endpoint.answer = (_number, { body }) => ({ status: body.length > 0 ? 500 : 200 });
    const withSpans = () => endpoint.seen.filter(({ body }) => body.length > 0).length;
    const collector = await startCollector(endpoint.url);
    await sendSpans(collector, []);
    await untilSettled(collector);
    const first = withSpans();
    await sendSpans(collector, [], SPANS);
    expect(await untilSettled(collector, 2 * SPANS)).toMatchObject({ dropped: { 'HTTP 500': 2 * SPANS } });
    expect(first).toBeGreaterThan(100);
    expect(withSpans() - first).toBeLessThan(25);
  });

  it('is asked once where the refusal speaks of no span', async () => {
    endpoint.answer = () => ({ status: 404 });
    expect(await settle(endpoint.url, [])).toMatchObject({ dropped: { 'HTTP 404': SPANS } });
    expect(endpoint.seen.filter(({ body }) => body.length > 0).length).toBe(1);
  });
});

describe('what a destination says of a request that it took', () => {
  it('is told in its words where it left spans out', async () => {
    const body = encodeExportResponse({ rejected: 3, message: 'older than a day' });
    endpoint.answer = (number) => ({ status: 200, body: number === 1 ? body : Buffer.alloc(0) });
    const health = await settle(endpoint.url, []);
    expect(health).toMatchObject({ delivered: SPANS - 3, dropped: { 'partial success: older than a day': 3 } });
    expect(told('destination refused items for good')).toMatchObject([
      { reason: 'partial success: older than a day', count: 3 },
    ]);
  });

  it('is told in its words where it took everything and has something to say all the same', async () => {
    const body = encodeExportResponse({ rejected: 0, message: 'use the new endpoint' });
    endpoint.answer = () => ({ status: 200, body });
    expect(await settle(endpoint.url, [])).toMatchObject({ delivered: SPANS, dropped: {} });
    expect(told('destination warned')).toMatchObject([{ destination: 'next', message: 'use the new endpoint' }]);
  });
});
