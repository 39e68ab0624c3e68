import { type ClientHttp2Session, connect, type Settings } from 'node:http2';
import { createRequire } from 'node:module';
import type { RunningCollector } from '@reenact/collector';
import { decodeExportResponse, decodeRpcStatus, encodeLogsProtobuf, encodeTracesProtobuf } from '@reenact/otlp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSpan, spanIdOf, Testbed, traceIdOf, wrapSpans } from '../testbed.ts';

type Grpc = typeof import('@grpc/grpc-js');
const grpc: Grpc = createRequire(new URL('../../../collector/package.json', import.meta.url))('@grpc/grpc-js') as Grpc;

const LIMIT = 100_000;
const TRACES = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
const LOGS = '/opentelemetry.proto.collector.logs.v1.LogsService/Export';
const METRICS = '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export';

const testbed = new Testbed();
let collector: RunningCollector;
let client: InstanceType<Grpc['Client']>;
beforeAll(async () => {
  collector = await testbed.start({ requestBytesMax: LIMIT });
  const options = { 'grpc.max_send_message_length': -1, 'grpc.default_compression_algorithm': 2 };
  client = new grpc.Client(new URL(collector.grpcUrl).host, grpc.credentials.createInsecure(), options);
});
afterAll(async () => {
  client.close();
  await testbed.dispose();
});

interface Call {
  readonly code: number;
  readonly details: string;
  readonly response: Buffer;
  readonly statusDetails: Buffer | undefined;
}

function call(path: string, body: Uint8Array): Promise<Call> {
  const keep = (bytes: Buffer) => bytes;
  return new Promise((resolve) => {
    client.makeUnaryRequest(path, keep, keep, Buffer.from(body), (error, response) => {
      const [statusDetails] = error?.metadata.get('grpc-status-details-bin') ?? [];
      resolve({
        code: error?.code ?? 0,
        details: error?.details ?? '',
        response: response ?? Buffer.alloc(0),
        statusDetails: Buffer.isBuffer(statusDetails) ? statusDetails : undefined,
      });
    });
  });
}

describe('OTLP/gRPC', () => {
  it('takes spans, and rejects single bad ones by name', async () => {
    const spans = [makeSpan({ traceId: traceIdOf(5), spanId: spanIdOf(5) }), makeSpan({ spanId: 'ff' })];
    const { code, response } = await call(TRACES, encodeTracesProtobuf(wrapSpans(spans)));
    expect(code).toBe(0);
    expect(decodeExportResponse(response)).toMatchObject({ rejected: 1, message: expect.stringContaining('span 1') });
    expect((await fetch(`${collector.httpUrl}/api/v1/recordings/${spanIdOf(5)}`)).status).toBe(200);
  });

  it('takes logs and metrics', async () => {
    const logs = encodeLogsProtobuf({ resourceLogs: [{ scopeLogs: [{ logRecords: [{ traceId: traceIdOf(6) }] }] }] });
    expect((await call(LOGS, logs)).code).toBe(0);
    expect((await call(METRICS, new Uint8Array(0))).code).toBe(0);
    expect((await collector.stats()).store.logRecords).toBe(1);
  });

  it('refuses malformed bytes with INVALID_ARGUMENT, saying where', async () => {
    const { code, details } = await call(TRACES, Buffer.from([0x0a, 0x7f, 1]));
    expect(code).toBe(grpc.status.INVALID_ARGUMENT);
    expect(details).toContain('byte 1');
  });

  it('refuses what is too large with RESOURCE_EXHAUSTED and no RetryInfo', async () => {
    const random = Buffer.from(Array.from({ length: LIMIT * 2 }, () => Math.floor(Math.random() * 256)));
    for (const body of [random, Buffer.alloc(LIMIT * 100)]) {
      const { code, statusDetails } = await call(TRACES, body);
      expect(code).toBe(grpc.status.RESOURCE_EXHAUSTED);
      expect(statusDetails).toBeUndefined();
    }
  });

  it('knows no other service', async () => {
    expect((await call('/x.Y/Export', new Uint8Array(0))).code).toBe(grpc.status.UNIMPLEMENTED);
  });

  it('asks for a retry when too much is in work', async () => {
    const busy = await testbed.start({ bytesInFlightMax: 1024 });
    const busyClient = new grpc.Client(new URL(busy.grpcUrl).host, grpc.credentials.createInsecure());
    const body = Buffer.from(encodeTracesProtobuf(wrapSpans([makeSpan({ name: 'x'.repeat(900) })])));
    const keep = (bytes: Buffer) => bytes;
    const results = await Promise.all(
      Array.from(
        { length: 40 },
        () =>
          new Promise<{ code: number; retryDelayMs: number | undefined }>((resolve) => {
            busyClient.makeUnaryRequest(TRACES, keep, keep, body, (error) => {
              const [bytes] = error?.metadata.get('grpc-status-details-bin') ?? [];
              const decoded = Buffer.isBuffer(bytes) ? decodeRpcStatus(bytes) : undefined;
              const retryDelayMs = decoded?.ok === true ? decoded.status.retryDelayMs : undefined;
              resolve({ code: error?.code ?? 0, retryDelayMs });
            });
          }),
      ),
    );
    busyClient.close();
    const refused = results.filter(({ code }) => code === grpc.status.UNAVAILABLE);
    expect(refused.length).toBeGreaterThan(0);
    for (const { retryDelayMs } of refused) expect(retryDelayMs).toBeGreaterThan(0);
    expect(results.some(({ code }) => code === 0)).toBe(true);
  });
});

/** What a sender of HTTP/2 is told when it connects. */
async function windowsOf(
  url: string,
): Promise<{ stream: number; connection: () => number; session: ClientHttp2Session }> {
  const session = connect(url);
  const settings = await new Promise<Settings>((resolve, reject) => {
    session.once('remoteSettings', resolve).once('error', reject);
  });
  return { stream: settings.initialWindowSize ?? 0, connection: () => session.state.remoteWindowSize ?? 0, session };
}

describe('a sender over gRPC that is far away', () => {
  it('may send whole requests before it hears of the receiver', async () => {
    const { stream, connection, session } = await windowsOf(collector.grpcUrl);
    expect(stream).toBe(4 * 1024 * 1024);
    await expect.poll(connection, { timeout: 20_000 }).toBe(16 * 1024 * 1024);
    session.close();
  });
});
