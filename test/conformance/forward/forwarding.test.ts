import type { RunningCollector } from '@reenact/collector';
import {
  decodeTracesProtobuf,
  encodeExportResponse,
  encodeTracesJson,
  type Span,
  walkTracesProtobuf,
} from '@reenact/otlp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually, makeSpan, postSpans, spanIdOf, spansOf, Testbed, textAttributes, wrapSpans } from '../testbed.ts';
import { type RecordingEndpoint, startEndpoint } from './recording-endpoint.ts';

const PAYLOADS = ['input', 'output', 'output.chunks', 'error', 'exchanges', 'draws', 'process.draws'].map(
  (key) => `reenact.${key}`,
);
const SMALL = textAttributes({
  'reenact.schema': '1',
  'reenact.name': 'n',
  'reenact.input.digest': 'd',
  'http.x': 'y',
});
const CROSSING = makeSpan({
  attributes: [...SMALL, ...textAttributes(Object.fromEntries(PAYLOADS.map((key) => [key, 'p'.repeat(5000)])))],
});

let testbed: Testbed;
let endpoint: RecordingEndpoint;
beforeEach(async () => {
  testbed = new Testbed();
  endpoint = await startEndpoint();
});
afterEach(async () => {
  await testbed.dispose();
  await endpoint.close();
});

const to = (content: 'slim' | 'full', url = endpoint.url) => ({ forward: [{ name: 'next', url, content }] });

async function untilDelivered(collector: RunningCollector, count: number): Promise<void> {
  await eventually(`${count} delivered`, async () => (await collector.stats()).forward[0]?.delivered === count);
}

function seenSpans(): Span[] {
  return endpoint.seen.flatMap(({ body }) => {
    const decoded = decodeTracesProtobuf(body);
    return decoded.ok ? spansOf(decoded.value) : expect.fail(decoded.problem.message);
  });
}

describe('forwarding', () => {
  it('sends slim spans without payloads, and keeps the rest of their bytes', async () => {
    const collector = await testbed.start(to('slim'));
    await postSpans(collector.httpUrl, [CROSSING]);
    await untilDelivered(collector, 1);
    expect(endpoint.seen[0]).toMatchObject({
      path: '/v1/traces',
      headers: { 'content-type': 'application/x-protobuf' },
    });
    expect(seenSpans()).toEqual([{ ...CROSSING, attributes: SMALL }]);
  });

  it('sends full spans byte for byte, unknown fields included', async () => {
    const collector = await testbed.start(to('full'));
    const body = Buffer.from('0a221220121e0a10', 'hex');
    const span = Buffer.concat([
      Buffer.alloc(16, 7),
      Buffer.from([0x12, 8]),
      Buffer.alloc(8, 9),
      Buffer.from([0xf8, 0x3f]),
    ]);
    const bytes = Buffer.concat([body, span, Buffer.from([0x01])]);
    bytes[1] = bytes.length - 2;
    bytes[3] = bytes.length - 4;
    bytes[5] = bytes.length - 6;
    const headers = { 'content-type': 'application/x-protobuf' };
    expect((await fetch(`${collector.httpUrl}/v1/traces`, { method: 'POST', headers, body: bytes })).status).toBe(200);
    await untilDelivered(collector, 1);
    const walked = walkTracesProtobuf(endpoint.seen[0]?.body ?? Buffer.alloc(0));
    const [forwarded] = walked.ok ? walked.spans : [];
    expect(Buffer.from(forwarded?.bytes ?? [])).toEqual(bytes.subarray(6));
  });

  it('sends what was received as JSON as protobuf, and a retried export only once', async () => {
    const collector = await testbed.start(to('slim'));
    const headers = { 'content-type': 'application/json' };
    const body = encodeTracesJson(wrapSpans([CROSSING]));
    for (let time = 0; time < 2; time += 1)
      await fetch(`${collector.httpUrl}/v1/traces`, { method: 'POST', headers, body });
    await untilDelivered(collector, 1);
    expect(seenSpans()).toEqual([{ ...CROSSING, attributes: SMALL }]);
  });

  it('sends metrics as they came, and logs to their own path', async () => {
    const collector = await testbed.start(to('slim', `${endpoint.url}/v1/traces`));
    const post = (path: string, body: string) =>
      fetch(`${collector.httpUrl}${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    await post('/v1/metrics', '{"resourceMetrics":[ ]}');
    await post('/v1/logs', '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"eventName":"e"}]}]}]}');
    await untilDelivered(collector, 2);
    expect(endpoint.seen.map(({ path }) => path)).toEqual(['/v1/metrics', '/v1/logs']);
    expect(endpoint.seen[0]?.body.toString()).toBe('{"resourceMetrics":[ ]}');
  });
});

describe('forwarding to a destination in trouble', () => {
  it('tries again after 503, waits as long as it is asked to, and doubles nothing', async () => {
    const times: number[] = [];
    endpoint.answer = (number) => {
      times.push(Date.now());
      return number === 1 ? { status: 503, headers: { 'retry-after': '1' } } : { status: 200 };
    };
    const collector = await testbed.start(to('full'));
    await postSpans(collector.httpUrl, [CROSSING]);
    await eventually('unhealthy', async () => (await collector.stats()).forward[0]?.isHealthy === false);
    expect((await collector.stats()).forward[0]).toMatchObject({
      queued: 1,
      lastError: expect.stringContaining('503'),
    });
    await untilDelivered(collector, 1);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1000);
    expect((await collector.stats()).forward[0]).toMatchObject({ isHealthy: true, queued: 0, dropped: {} });
  });

  it('tries again after every status that speaks of the destination and not of the data, and loses nothing', async () => {
    const statuses = [401, 403, 408, 429, 502, 503, 504];
    endpoint.answer = (number) => ({ status: statuses[number - 1] ?? 200 });
    const limits = { forwardBackoffFirstMs: 5, forwardBackoffMaxMs: 20 };
    const collector = await testbed.start({ ...to('full'), limits });
    await postSpans(collector.httpUrl, [CROSSING]);
    await untilDelivered(collector, 1);
    expect(endpoint.seen).toHaveLength(statuses.length + 1);
    expect((await collector.stats()).forward[0]).toMatchObject({ isHealthy: true, queued: 0, dropped: {} });
  });

  it('gives up what is refused for good, and counts it with the reason', async () => {
    endpoint.answer = (number) => {
      const body = encodeExportResponse({ rejected: 1, message: 'too old' });
      return number === 1 ? { status: 400, body: Buffer.alloc(0) } : { status: 200, body };
    };
    const collector = await testbed.start(to('full'));
    await postSpans(collector.httpUrl, [makeSpan()]);
    await eventually('dropped', async () => (await collector.stats()).forward[0]?.dropped['HTTP 400'] === 1);
    await postSpans(collector.httpUrl, [makeSpan({ spanId: spanIdOf(2) }), makeSpan({ spanId: spanIdOf(3) })]);
    await untilDelivered(collector, 1);
    const [health] = (await collector.stats()).forward;
    expect(health).toMatchObject({
      isHealthy: true,
      queued: 0,
      dropped: { 'HTTP 400': 1, 'partial success: too old': 1 },
    });
  });

  it('says once what a destination refuses again and again, and the rest as one number', async () => {
    endpoint.answer = () => ({ status: 404 });
    const lines: string[] = [];
    const collector = await testbed.start(to('full'), { log: (line) => lines.push(line) });
    for (let number = 1; number <= 5; number += 1) {
      await postSpans(collector.httpUrl, [makeSpan({ spanId: spanIdOf(number) })]);
      await eventually('dropped', async () => (await collector.stats()).forward[0]?.dropped['HTTP 404'] === number);
    }
    await collector.stop();
    const refusals = lines.map((line) => JSON.parse(line)).filter(({ event }) => event.includes('for good'));
    expect(refusals).toMatchObject([{ count: 1, reason: 'HTTP 404' }, { count: 4 }]);
  });
});

describe('forwarding to a destination that takes only small requests', () => {
  it('sends smaller requests after 413', async () => {
    endpoint.answer = (_number, { body }) => ({ status: body.length > 6000 ? 413 : 200 });
    const collector = await testbed.start(to('full'));
    const spans = Array.from({ length: 10 }, (_, index) =>
      makeSpan({ spanId: spanIdOf(index), name: 'n'.repeat(1000) }),
    );
    await postSpans(collector.httpUrl, [...spans, makeSpan({ spanId: spanIdOf(99), name: 'n'.repeat(9000) })]);
    await untilDelivered(collector, 10);
    await eventually('the one too large', async () => (await collector.stats()).forward[0]?.dropped['HTTP 413'] === 1);
  });

  it('sends smaller requests after the 400 that servers in Go say it by', async () => {
    const body = Buffer.from('http: request body too large');
    const refusal = { status: 400, headers: { 'content-type': 'text/plain' }, body };
    endpoint.answer = (_number, { body: sent }) => (sent.length > 6000 ? refusal : { status: 200 });
    const collector = await testbed.start(to('full'));
    await postSpans(
      collector.httpUrl,
      Array.from({ length: 10 }, (_, index) => makeSpan({ spanId: spanIdOf(index), name: 'n'.repeat(1000) })),
    );
    await untilDelivered(collector, 10);
    expect((await collector.stats()).forward[0]?.dropped).toEqual({});
  });

  it('sends none that is larger than it is said to take, but of one span that is', async () => {
    endpoint.answer = (_number, { body }) => ({ status: body.length > 7000 ? 413 : 200 });
    const { forward = [] } = to('full');
    const collector = await testbed.start({ forward: forward.map((one) => ({ ...one, requestBytesMax: 6000 })) });
    const spans = Array.from({ length: 10 }, (_, index) =>
      makeSpan({ spanId: spanIdOf(index), name: 'n'.repeat(1000) }),
    );
    await postSpans(collector.httpUrl, [...spans, makeSpan({ spanId: spanIdOf(99), name: 'n'.repeat(9000) })]);
    await untilDelivered(collector, 10);
    await eventually('the one too large', async () => (await collector.stats()).forward[0]?.dropped['HTTP 413'] === 1);
    expect(endpoint.seen.filter(({ body }) => body.length > 7000)).toHaveLength(1);
  });
});

describe('forwarding what is too large by itself', () => {
  it('sends together what one that is too large by itself had beside it', async () => {
    endpoint.answer = (_number, { body }) => ({ status: body.length > 60_250 ? 413 : 200 });
    const { forward = [] } = to('full');
    const collector = await testbed.start({ forward: forward.map((one) => ({ ...one, requestBytesMax: 60_000 })) });
    const spans = Array.from({ length: 300 }, (_, index) =>
      makeSpan({ spanId: spanIdOf(index), name: 'n'.repeat(index === 0 ? 100_000 : 10 + index) }),
    );
    await postSpans(collector.httpUrl, spans);
    await untilDelivered(collector, 299);
    expect((await collector.stats()).forward[0]?.dropped).toEqual({ 'HTTP 413': 1 });
    expect(endpoint.seen.length).toBeLessThan(30);
  });

  it('tries few of those that share a resource beyond what it takes', async () => {
    endpoint.answer = (_number, { body }) => ({ status: body.length > 80_250 ? 413 : 200 });
    const { forward = [] } = to('full');
    const collector = await testbed.start({ forward: forward.map((one) => ({ ...one, requestBytesMax: 60_000 })) });
    const spans = Array.from({ length: 300 }, (_, index) =>
      makeSpan({ spanId: spanIdOf(index), name: 'n'.repeat(index < 4 ? 10 : 500 - index) }),
    );
    await postSpans(collector.httpUrl, spans, 's'.repeat(80_000));
    await untilDelivered(collector, 4);
    await eventually('the others', async () => (await collector.stats()).forward[0]?.dropped['HTTP 413'] === 296);
    expect(endpoint.seen.length).toBeLessThan(30);
  });

  it('remembers about how large they may be', async () => {
    endpoint.answer = (_number, { body }) => ({ status: body.length > 6000 ? 413 : 200 });
    const collector = await testbed.start(to('full'));
    const count = 256;
    const spans = Array.from({ length: count }, (_, index) =>
      makeSpan({ spanId: spanIdOf(index), name: 'n'.repeat(1000) }),
    );
    await postSpans(collector.httpUrl, spans);
    await untilDelivered(collector, count);
    // Four go into one. Begun anew with all of them each time, 64 requests would be found by six refusals each.
    expect(endpoint.seen.length).toBeLessThan(count);
  });
});

describe('forwarding to another collector', () => {
  it('catches up after both were restarted, and never held up ingest meanwhile', async () => {
    const [near, far] = [await testbed.directory(), await testbed.directory()];
    const { url } = endpoint;
    await endpoint.close();
    let collector = await testbed.start({ dataDirectory: near, ...to('full', url) });
    const spans = Array.from({ length: 20 }, (_, index) => makeSpan({ spanId: spanIdOf(index) }));
    for (const span of spans) expect((await postSpans(collector.httpUrl, [span])).status).toBe(200);
    expect((await collector.stats()).forward[0]).toMatchObject({ queued: 20, delivered: 0 });
    await collector.stop();
    const target = await testbed.start({ dataDirectory: far, httpPort: Number(new URL(url).port) });
    collector = await testbed.start({ dataDirectory: near, ...to('full', url) });
    await untilDelivered(collector, 20);
    expect(await target.stats()).toMatchObject({ store: { spans: 20 }, received: { deduplicated: 0 } });
    expect((await collector.stats()).forward[0]).toMatchObject({ queued: 0, isHealthy: true });
  });
});

describe('metrics for a destination that is gone', () => {
  it('are let go of from the oldest on, and counted, and every span is kept', async () => {
    endpoint.answer = () => ({ status: 503 });
    const collector = await testbed.start({
      ...to('full'),
      limits: { metricsQueueBytesMax: 4_000 },
    });
    await postSpans(collector.httpUrl, [CROSSING]);
    const headers = { 'content-type': 'application/json' };
    for (let request = 0; request < 10; request += 1) {
      const body = `{"resourceMetrics":[]${' '.repeat(900)},"schemaUrl":"${request}"}`;
      expect((await fetch(`${collector.httpUrl}/v1/metrics`, { method: 'POST', headers, body })).status).toBe(200);
    }
    const { forward, received } = await collector.stats();
    const gone = received.discardedMetricRequests;
    expect(gone).toBeGreaterThan(4);
    expect(forward[0]?.queued).toBe(1 + 10 - gone);
  });
});
