import { fileURLToPath } from 'node:url';
import type { CollectorConfigInput, RunningCollector } from '@reenact/collector';
import { encodeExportResponse } from '@reenact/otlp';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually, makeSpan, postSpans, spanIdOf, Testbed, textAttributes, traceIdOf } from '../testbed.ts';
import { type GrpcAnswer, type GrpcEndpoint, grpcStatus, startGrpcEndpoint } from './grpc-endpoint.ts';

const pathOf = (name: string) => fileURLToPath(new URL(`../receiver/certificates/${name}.pem`, import.meta.url));

const testbed = new Testbed();
const endpoints: GrpcEndpoint[] = [];
afterEach(async () => {
  await testbed.dispose();
  for (const endpoint of endpoints.splice(0)) endpoint.stop();
});

async function startEndpoint(answer: Parameters<typeof startGrpcEndpoint>[0]): Promise<GrpcEndpoint> {
  const endpoint = await startGrpcEndpoint(answer);
  endpoints.push(endpoint);
  return endpoint;
}

const DONE = encodeExportResponse({ rejected: 0, message: '' });

function startTo(url: string, more: object = {}): Promise<RunningCollector> {
  const forward: CollectorConfigInput['forward'] = [{ name: 'next', url, protocol: 'grpc', content: 'full', ...more }];
  return testbed.start({ forward, limits: { forwardBackoffFirstMs: 20, forwardBackoffMaxMs: 100 } });
}

async function untilDelivered(collector: RunningCollector, count: number): Promise<void> {
  await eventually(`${count} delivered`, async () => (await collector.stats()).forward[0]?.delivered === count, 60_000);
}

/** What receiving lets pass, and protobuf has no place for; earlier versions let more pass. */
const METRICS = '{"resourceMetrics":[{"schemaUrl":7}]}';

describe('forwarding over gRPC with TLS', () => {
  it('reaches an address without a name, and Node.js has nothing to warn of', async () => {
    const warnings: string[] = [];
    const note = (warning: Error) => void warnings.push(warning.message);
    process.on('warning', note);
    const far = await testbed.start({ tls: { certificateFile: pathOf('server'), keyFile: pathOf('server-key') } });
    const near = await startTo(far.grpcUrl, { tls: { caFile: pathOf('ca') } });
    await postSpans(near.httpUrl, [makeSpan()]);
    await untilDelivered(near, 1);
    process.off('warning', note);
    expect(new URL(far.grpcUrl).hostname).toBe('127.0.0.1');
    expect(warnings).toEqual([]);
  });
});

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

  it('tries again after codes that say so, a denied token and RESOURCE_EXHAUSTED with RetryInfo, and loses nothing', async () => {
    const { CANCELLED, DEADLINE_EXCEEDED, ABORTED, OUT_OF_RANGE, UNAVAILABLE, DATA_LOSS } = grpcStatus;
    const { UNAUTHENTICATED, PERMISSION_DENIED } = grpcStatus;
    const retryable = [CANCELLED, DEADLINE_EXCEEDED, ABORTED, OUT_OF_RANGE, UNAVAILABLE, DATA_LOSS];
    const answers: GrpcAnswer[] = [
      ...[...retryable, UNAUTHENTICATED, PERMISSION_DENIED].map((code) => ({ code, details: 'not now' })),
      { code: grpcStatus.RESOURCE_EXHAUSTED, details: 'busy', retryDelayMs: 10 },
    ];
    const endpoint = await startEndpoint((number) => answers[number - 1] ?? DONE);
    const collector = await startTo(endpoint.url);
    await postSpans(collector.httpUrl, [makeSpan()]);
    await untilDelivered(collector, 1);
    expect(endpoint.seen).toHaveLength(answers.length + 1);
    expect((await collector.stats()).forward[0]).toMatchObject({ isHealthy: true, queued: 0, dropped: {} });
  });

  it('gives up what is refused for good, and signals that the endpoint does not know, with the reason', async () => {
    const endpoint = await startEndpoint((number) =>
      number === 1
        ? { code: grpcStatus.INVALID_ARGUMENT, details: 'no' }
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
    await fetch(`${collector.httpUrl}/v1/metrics`, { method: 'POST', headers, body: METRICS });
    await eventually(
      'all dropped',
      async () => (await health())?.queued === 0 && Object.keys((await health())?.dropped ?? {}).length === 4,
    );
    expect(Object.keys((await health())?.dropped ?? {}).join('\n')).toMatch(
      /UNIMPLEMENTED[\s\S]*metrics that were received as JSON are not OTLP: resourceMetrics\[0\]\.schemaUrl is not a string/,
    );
  });

  it('sends smaller requests where one is too large', async () => {
    const endpoint = await startEndpoint((_number, body) =>
      body.length > 6000 ? { code: grpcStatus.RESOURCE_EXHAUSTED } : DONE,
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
