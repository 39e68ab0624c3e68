import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { CollectorConfigInput, RunningCollector } from '@reenact/collector';
import { encodeExportResponse, encodeRpcStatus } from '@reenact/otlp';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually, makeSpan, postSpans, spanIdOf, Testbed, textAttributes, traceIdOf } from '../testbed.ts';

type Grpc = typeof import('@grpc/grpc-js');
const grpc: Grpc = createRequire(new URL('../../../collector/package.json', import.meta.url))('@grpc/grpc-js') as Grpc;
const SERVICE = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
const pathOf = (name: string) => fileURLToPath(new URL(`../receiver/certificates/${name}.pem`, import.meta.url));

type Answer = { readonly code: number; readonly details?: string; readonly retryDelayMs?: number } | Uint8Array;

const testbed = new Testbed();
const servers: InstanceType<Grpc['Server']>[] = [];
afterEach(async () => {
  await testbed.dispose();
  for (const server of servers.splice(0)) server.forceShutdown();
});

/** An OTLP/gRPC endpoint that answers each request as told; only traces are known to it. */
async function startEndpoint(
  answer: (number: number, body: Buffer) => Answer,
): Promise<{ url: string; seen: Buffer[] }> {
  const server = new grpc.Server();
  servers.push(server);
  const seen: Buffer[] = [];
  const keep = (bytes: Buffer) => bytes;
  server.register(
    SERVICE,
    (call: { request: Buffer }, callback: (error: object | null, value?: Buffer) => void) => {
      seen.push(call.request);
      const given = answer(seen.length, call.request);
      if (given instanceof Uint8Array) return callback(null, Buffer.from(given));
      const { code, details = '', retryDelayMs } = given;
      const metadata = new grpc.Metadata();
      if (retryDelayMs !== undefined) {
        metadata.set('grpc-status-details-bin', Buffer.from(encodeRpcStatus({ code, message: details, retryDelayMs })));
      }
      callback({ code, details, metadata });
    },
    keep,
    keep,
    'unary',
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return { url: `http://127.0.0.1:${port}`, seen };
}

const DONE = encodeExportResponse({ rejected: 0, message: '' });

function startTo(url: string, more: object = {}): Promise<RunningCollector> {
  const forward: CollectorConfigInput['forward'] = [{ name: 'next', url, protocol: 'grpc', content: 'full', ...more }];
  return testbed.start({ forward, limits: { forwardBackoffFirstMs: 20, forwardBackoffMaxMs: 100 } });
}

async function untilDelivered(collector: RunningCollector, count: number): Promise<void> {
  await eventually(`${count} delivered`, async () => (await collector.stats()).forward[0]?.delivered === count, 60_000);
}

describe('forwarding over gRPC', () => {
  it('reaches another collector with TLS, a client certificate and a token, byte for byte', async () => {
    const tls = { certificateFile: pathOf('server'), keyFile: pathOf('server-key'), clientCaFile: pathOf('ca') };
    const far = await testbed.start({
      tls,
      tokens: [await digestOf('t0ken')],
    });
    const near = await startTo(far.grpcUrl.replace('127.0.0.1', 'localhost'), {
      headers: { authorization: 'Bearer t0ken' },
      tls: { caFile: pathOf('ca'), certificateFile: pathOf('client'), keyFile: pathOf('client-key') },
    });
    const attributes = textAttributes({ 'reenact.input': 'x'.repeat(200_000) });
    await postSpans(near.httpUrl, [makeSpan({ traceId: traceIdOf(3), attributes })]);
    await untilDelivered(near, 1);
    expect((await far.stats()).store.spans).toBe(1);
  });

  it('tries again after UNAVAILABLE, a denied token and RESOURCE_EXHAUSTED with RetryInfo, and loses nothing', async () => {
    const answers: Answer[] = [
      { code: grpc.status.UNAVAILABLE, details: 'starting' },
      { code: grpc.status.UNAUTHENTICATED, details: 'expired' },
      { code: grpc.status.RESOURCE_EXHAUSTED, details: 'busy', retryDelayMs: 10 },
    ];
    const endpoint = await startEndpoint((number) => answers[number - 1] ?? DONE);
    const collector = await startTo(endpoint.url);
    await postSpans(collector.httpUrl, [makeSpan()]);
    await untilDelivered(collector, 1);
    expect(endpoint.seen).toHaveLength(4);
    expect((await collector.stats()).forward[0]).toMatchObject({ isHealthy: true, queued: 0, dropped: {} });
  });

  it('gives up what is refused for good, and signals that the endpoint does not know, with the reason', async () => {
    const endpoint = await startEndpoint((number) =>
      number === 1
        ? { code: grpc.status.INVALID_ARGUMENT, details: 'no' }
        : encodeExportResponse({ rejected: 1, message: 'old' }),
    );
    const collector = await startTo(endpoint.url);
    const health = async () => (await collector.stats()).forward[0];
    await postSpans(collector.httpUrl, [makeSpan()]);
    await eventually('refused', async () => (await health())?.dropped['gRPC INVALID_ARGUMENT no'] === 1);
    await postSpans(collector.httpUrl, [makeSpan({ spanId: spanIdOf(2) }), makeSpan({ spanId: spanIdOf(3) })]);
    await untilDelivered(collector, 1);
    const headers = { 'content-type': 'application/json' };
    const log = '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"eventName":"e"}]}]}]}';
    await fetch(`${collector.httpUrl}/v1/logs`, { method: 'POST', headers, body: log });
    await fetch(`${collector.httpUrl}/v1/metrics`, { method: 'POST', headers, body: '{"resourceMetrics":7}' });
    await eventually(
      'all dropped',
      async () => (await health())?.queued === 0 && Object.keys((await health())?.dropped ?? {}).length === 4,
    );
    expect(Object.keys((await health())?.dropped ?? {}).join('\n')).toMatch(
      /UNIMPLEMENTED[\s\S]*metrics that were received as JSON are not OTLP: resourceMetrics is not an array/,
    );
  });

  it('sends smaller requests where one is too large', async () => {
    const endpoint = await startEndpoint((_number, body) =>
      body.length > 6000 ? { code: grpc.status.RESOURCE_EXHAUSTED } : DONE,
    );
    const collector = await startTo(endpoint.url);
    const spans = Array.from({ length: 10 }, (_, index) =>
      makeSpan({ spanId: spanIdOf(index), name: 'n'.repeat(1000) }),
    );
    await postSpans(collector.httpUrl, [...spans, makeSpan({ spanId: spanIdOf(99), name: 'n'.repeat(9000) })]);
    await untilDelivered(collector, 10);
  });
});

async function digestOf(token: string) {
  const digest = await crypto.subtle.digest('SHA-256', Buffer.from(token));
  return { name: 'forwarder', sha256: Buffer.from(digest).toString('hex'), scopes: ['ingest' as const] };
}
