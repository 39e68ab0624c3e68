import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import type { RunningCollector } from '@reenact/collector';
import {
  decodeExportResponse,
  decodeRpcStatus,
  encodeLogsProtobuf,
  encodeTracesJson,
  encodeTracesProtobuf,
} from '@reenact/otlp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSpan, spanIdOf, Testbed, traceIdOf, wrapSpans } from '../testbed.ts';

const LIMIT = 100_000;
const PROTOBUF = { 'content-type': 'application/x-protobuf' };
const JSON_TYPE = { 'content-type': 'application/json' };
const GOOD = Buffer.from(encodeTracesProtobuf(wrapSpans([makeSpan()])));
const GOOD_JSON = Buffer.from(encodeTracesJson(wrapSpans([makeSpan()])));

const testbed = new Testbed();
let collector: RunningCollector;
beforeAll(async () => {
  collector = await testbed.start({ requestBytesMax: LIMIT });
});
afterAll(() => testbed.dispose());

function post(body: Uint8Array, headers: Record<string, string>, path = '/v1/traces'): Promise<Response> {
  return fetch(`${collector.httpUrl}${path}`, { method: 'POST', headers, body: Buffer.from(body) });
}

/** The message of an error answer in the encoding it came in. */
async function readError(response: Response): Promise<string> {
  const body = Buffer.from(await response.arrayBuffer());
  if (response.headers.get('content-type') === 'application/json') {
    return (JSON.parse(body.toString()) as { message: string }).message;
  }
  const decoded = decodeRpcStatus(body);
  return decoded.ok ? decoded.status.message : expect.fail('not a google.rpc.Status');
}

describe('OTLP/HTTP takes', () => {
  it.each([
    ['protobuf', GOOD, PROTOBUF],
    ['protobuf with parameters', GOOD, { 'content-type': 'application/x-protobuf; x=1' }],
    ['JSON', GOOD_JSON, { 'content-type': 'application/json; charset=utf-8' }],
    ['JSON in capitals', GOOD_JSON, { 'content-type': 'Application/JSON; Charset="UTF-8"' }],
    ['protobuf, gzip', gzipSync(GOOD), { ...PROTOBUF, 'content-encoding': 'gzip' }],
    ['protobuf, zstd', zstdCompressSync(GOOD), { ...PROTOBUF, 'content-encoding': 'zstd' }],
    ['JSON, zstd', zstdCompressSync(GOOD_JSON), { ...JSON_TYPE, 'content-encoding': 'zstd' }],
    ['protobuf, identity', GOOD, { ...PROTOBUF, 'content-encoding': 'identity' }],
    ['an empty request', new Uint8Array(0), PROTOBUF],
  ])('%s', async (_label, body, headers) => {
    const response = await post(body, headers);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(headers['content-type'].split(';')[0]?.toLowerCase());
  });

  it('zstd in several frames as one body', async () => {
    const spans = [1, 2].map((number) => makeSpan({ traceId: traceIdOf(77), spanId: spanIdOf(number) }));
    const body = encodeTracesProtobuf(wrapSpans(spans));
    const halves = [body.subarray(0, 50), body.subarray(50)].map((half) => zstdCompressSync(half));
    expect((await post(Buffer.concat(halves), { ...PROTOBUF, 'content-encoding': 'zstd' })).status).toBe(200);
    const stored = await fetch(`${collector.httpUrl}/api/v1/recordings/${traceIdOf(77)}`);
    expect((await stored.text()).match(/"spanId"/g)).toHaveLength(2);
  });

  it('logs, and gives them back by any id of their trace', async () => {
    const record = { traceId: traceIdOf(78), spanId: spanIdOf(78), body: { stringValue: 'said' }, eventName: 'e' };
    const logs = { resourceLogs: [{ scopeLogs: [{ logRecords: [record, { traceId: 'zz' }] }] }] };
    const response = await post(Buffer.from(JSON.stringify(logs)), JSON_TYPE, '/v1/logs');
    expect(await response.json()).toMatchObject({ partialSuccess: { rejectedLogRecords: '1' } });
    const stored = await fetch(`${collector.httpUrl}/api/v1/logs/${traceIdOf(78)}`);
    expect(await stored.json()).toMatchObject({ resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] });
  });

  it('metrics, and counts them as discarded when nobody takes them', async () => {
    const before = (await collector.stats()).received.discardedMetricRequests;
    expect((await post(Buffer.from([0x0a, 0]), PROTOBUF, '/v1/metrics')).status).toBe(200);
    expect((await collector.stats()).received.discardedMetricRequests).toBe(before + 1);
  });
});

const BOMB = gzipSync(Buffer.alloc(LIMIT * 200));

describe('OTLP/HTTP refuses', () => {
  it.each([
    [400, 'cut off', GOOD.subarray(0, GOOD.length - 3), PROTOBUF],
    [400, 'not an OTLP traces request in protobuf', Buffer.from('{"resourceSpans":[]}'), PROTOBUF],
    [400, 'byte 0', Buffer.from('nonsense'), JSON_TYPE],
    [400, 'ends inside', GOOD_JSON.subarray(0, 100), JSON_TYPE],
    [400, 'gzip data', gzipSync(GOOD).subarray(0, 40), { ...PROTOBUF, 'content-encoding': 'gzip' }],
    [400, 'gzip data', GOOD, { ...PROTOBUF, 'content-encoding': 'gzip' }],
    [400, 'zstd data', zstdCompressSync(GOOD).subarray(0, 40), { ...PROTOBUF, 'content-encoding': 'zstd' }],
    [400, 'zstd data', Buffer.concat([zstdCompressSync(GOOD), GOOD]), { ...PROTOBUF, 'content-encoding': 'zstd' }],
    // A frame whose window is 8 GiB.
    [400, 'a window of 128 MiB', Buffer.from('28b52ffd00b8010000', 'hex'), { ...PROTOBUF, 'content-encoding': 'zstd' }],
    [400, 'resourceLogs is of logs', Buffer.from('{"resourceSpans":[],"resourceLogs":[{}]}'), JSON_TYPE],
    [400, 'has resourceSpans', Buffer.from('{"resource_spans":[{"scope_spans":[]}]}'), JSON_TYPE],
    [400, 'has scopeSpans', Buffer.from('{"resourceSpans":[{"instrumentationLibrarySpans":[{}]}]}'), JSON_TYPE],
    [413, `limit of ${LIMIT} bytes`, Buffer.alloc(LIMIT + 1), PROTOBUF],
    [413, 'after decompression', BOMB, { ...PROTOBUF, 'content-encoding': 'gzip' }],
    [
      413,
      'after decompression',
      zstdCompressSync(Buffer.alloc(LIMIT * 200)),
      { ...PROTOBUF, 'content-encoding': 'zstd' },
    ],
    [415, '"text/plain"', GOOD, { 'content-type': 'text/plain' }],
    [415, 'JSON in UTF-8', GOOD_JSON, { 'content-type': 'application/json; charset=utf-16' }],
    [415, '"application/json;charset=latin1"', GOOD_JSON, { 'content-type': 'application/json;charset=latin1' }],
    [415, '"br"', GOOD, { ...PROTOBUF, 'content-encoding': 'br' }],
  ])('with %i and "%s"', async (status, message, body, headers) => {
    const response = await post(body, headers);
    expect(response.status).toBe(status);
    expect(await readError(response)).toContain(message);
    expect((await post(GOOD, PROTOBUF)).status).toBe(200);
  });
});

describe('OTLP/HTTP rejects items of another signal', () => {
  const record = { timeUnixNano: '7', traceId: traceIdOf(79), spanId: spanIdOf(79), body: { stringValue: 'said' } };
  const logs = Buffer.from(encodeLogsProtobuf({ resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] }));

  it.each([
    ['spans', GOOD, '/v1/logs', 'log record 0: it is of traces'],
    ['log records', logs, '/v1/traces', 'span 0: it is of logs'],
  ])('%s in protobuf at the path of others, each by name', async (_label, body, path, message) => {
    const response = await post(body, PROTOBUF, path);
    expect(response.status).toBe(200);
    expect(decodeExportResponse(new Uint8Array(await response.arrayBuffer()))).toEqual({
      rejected: 1,
      message: expect.stringContaining(message),
    });
  });

  it.each([
    ['spans', GOOD, 'it is of traces'],
    ['log records', logs, 'it is of logs'],
  ])('%s in protobuf as metrics, which would be kept nowhere', async (_label, body, message) => {
    const response = await post(body, PROTOBUF, '/v1/metrics');
    expect(response.status).toBe(400);
    expect(await readError(response)).toContain(message);
  });
});

describe('OTLP/HTTP refuses metrics that no destination would take, instead of acknowledging them', () => {
  const metricsOf = (metric: unknown) =>
    Buffer.from(JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: 'fine' }, metric] }] }] }));
  // One metric whose gauge has one point, whose only attribute says to be longer than it is.
  const cutOff = Buffer.from('0a0b120912072a050a033a010a', 'hex');
  const former = Buffer.from('0a05c23e021200', 'hex');
  it.each([
    ['resourceMetrics is not an array', Buffer.from('{"resourceMetrics":7}'), JSON_TYPE],
    ['metric 1: sum is not an object', metricsOf({ sum: [] }), JSON_TYPE],
    ['gauge.dataPoints[0].asInt is not an integer', metricsOf({ gauge: { dataPoints: [{ asInt: 'x' }] } }), JSON_TYPE],
    ['which has scopeMetrics', Buffer.from('{"resourceMetrics":[{"scope_metrics":[]}]}'), JSON_TYPE],
    ['metric 0', cutOff, PROTOBUF],
    ['instrumentation_library_metrics', former, PROTOBUF],
  ])('as "%s"', async (message, body, headers) => {
    const response = await post(body, headers, '/v1/metrics');
    expect(response.status).toBe(400);
    expect(await readError(response)).toContain(message);
  });
});

describe('OTLP/HTTP also refuses', () => {
  it('a request without a content type', async () => {
    const status = await new Promise((resolve) => {
      const request = httpRequest(`${collector.httpUrl}/v1/traces`, { method: 'POST' }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      request.end(GOOD);
    });
    expect(status).toBe(415);
  });

  it.each([
    ['/v1/logs', GOOD_JSON],
    ['/v1/metrics', GOOD_JSON],
  ])('spans that were sent to %s, instead of passing over them', async (path, body) => {
    const response = await post(body, JSON_TYPE, path);
    expect(response.status).toBe(400);
    expect(await readError(response)).toContain('resourceSpans is of traces');
  });

  it.each(['/', '/v1/traces/', '/v1/trace', '/otlp/v1/traces'])(
    'what is sent to %s, and says where to',
    async (path) => {
      const before = (await collector.stats()).received.refusedRequests['not-found'] ?? 0;
      const response = await post(GOOD, PROTOBUF, path);
      expect(response.status).toBe(404);
      expect(await readError(response)).toMatch(/\/v1\/traces, .*OTEL_EXPORTER_OTLP_TRACES_ENDPOINT/);
      expect((await collector.stats()).received.refusedRequests['not-found']).toBe(before + 1);
    },
  );

  it.each(['/v1/traces', '/v1/logs', '/v1/metrics'])('any method but POST on %s', async (path) => {
    const response = await fetch(`${collector.httpUrl}${path}`, { method: 'PUT', body: GOOD });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
    expect(await readError(response)).toMatch(/Send OTLP by POST.*reenact runs/);
  });

  it('a body that outgrows the limit without having said so, before it has ended', async () => {
    const answer = await new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest(
        `${collector.httpUrl}/v1/traces`,
        { method: 'POST', headers: PROTOBUF },
        (response) => {
          response.resume();
          resolve(response.statusCode);
          request.destroy();
        },
      );
      request.on('error', reject);
      request.write(Buffer.alloc(LIMIT + 1));
    });
    expect(answer).toBe(413);
  });

  it('nothing after a sender hung up in the middle of a request', async () => {
    const { port } = new URL(collector.httpUrl);
    const socket = connect(Number(port), '127.0.0.1');
    await new Promise<void>((resolve) => {
      const head =
        'POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-protobuf\r\ncontent-length: 100\r\n\r\nabc';
      socket.write(head, () => resolve());
    });
    socket.destroy();
    expect((await post(GOOD, PROTOBUF)).status).toBe(200);
  });
});

describe('OTLP/HTTP refuses in the middle of it', () => {
  it('a body, and lets its sender write the rest and read why', async () => {
    const { port } = new URL(collector.httpUrl);
    const socket = connect(Number(port), '127.0.0.1');
    const length = 32 * 1024 * 1024;
    const answer = new Promise<string>((resolve, reject) => {
      let text = '';
      socket.on('data', (chunk: Buffer) => {
        text += String(chunk);
      });
      socket.on('error', reject);
      socket.on('end', () => resolve(text));
    });
    const head = ['POST /v1/traces HTTP/1.1', 'host: x', 'content-type: application/json', `content-length: ${length}`];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    socket.write(Buffer.alloc(length, ' '));
    expect(await answer).toMatch(/^HTTP\/1\.1 413 .*connection: close.*limit of/is);
    expect(socket.bytesWritten).toBeGreaterThan(length);
  });
});

describe('OTLP/HTTP answers', () => {
  it.each([
    ['gzip, chunked', 415, '"gzip" is not taken off'],
    ['gzip,deflate,Chunked', 415, '"gzip, deflate"'],
    ['identity, chunked', 200, ''],
  ])('a body whose transfer coding is %s with %d', async (codings, status, message) => {
    const answer = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const headers = { ...JSON_TYPE, 'transfer-encoding': codings };
      const request = httpRequest(`${collector.httpUrl}/v1/traces`, { method: 'POST', headers }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => {
          text += String(chunk);
        });
        response.on('end', () => resolve({ status: response.statusCode, text }));
      });
      request.on('error', reject);
      request.end(GOOD_JSON);
    });
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(message.replaceAll('"', '\\"'));
  });
});

describe('OTLP/HTTP answers wrong ids with a partial success', () => {
  const spans = [
    makeSpan({ traceId: traceIdOf(80), spanId: spanIdOf(80) }),
    makeSpan({ traceId: 'abcd' }),
    makeSpan({ traceId: traceIdOf(80), spanId: '0000000000000000' }),
  ];
  it.each([
    ['protobuf', Buffer.from(encodeTracesProtobuf(wrapSpans(spans))), PROTOBUF],
    ['JSON', Buffer.from(encodeTracesJson(wrapSpans(spans))), JSON_TYPE],
  ])('in %s, naming what was rejected and why', async (format, body, headers) => {
    const response = await post(body, headers);
    expect(response.status).toBe(200);
    const answer = Buffer.from(await response.arrayBuffer());
    const outcome = format === 'protobuf' ? decodeExportResponse(answer) : readJsonOutcome(answer);
    expect(outcome?.rejected).toBe(2);
    expect(outcome?.message).toMatch(/span 1: .*trace id has 2 bytes.*span 2: .*span id is all zeros/);
    const stored = await fetch(`${collector.httpUrl}/api/v1/recordings/${spanIdOf(80)}`);
    expect(stored.status).toBe(200);
  });
});

function readJsonOutcome(answer: Buffer): { rejected: number; message: string } {
  const { partialSuccess } = JSON.parse(answer.toString()) as {
    partialSuccess: { rejectedSpans: string; errorMessage: string };
  };
  return { rejected: Number(partialSuccess.rejectedSpans), message: partialSuccess.errorMessage };
}
