import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { spanIdOf, Testbed, traceIdOf } from '../../conformance/testbed.ts';
import { peerPath, peerVersion } from './peer.ts';

const program = peerPath('grpcurl');
const TRACE_SERVICE = 'opentelemetry.proto.collector.trace.v1.TraceService';

const testbed = new Testbed();
const urls = { http: '', grpc: '' };
beforeAll(async () => {
  if (program === undefined) return;
  const { httpUrl, grpcUrl } = await testbed.start();
  urls.http = httpUrl;
  urls.grpc = grpcUrl;
});
afterAll(() => testbed.dispose());

interface Finished {
  readonly exitCode: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

async function grpcurl(flags: readonly string[], ...operands: readonly string[]): Promise<Finished> {
  const child = spawn(program ?? '', ['-plaintext', ...flags, new URL(urls.grpc).host, ...operands]);
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { exitCode, stdout, stderr };
}

function lines(words: string): string[] {
  return words.trim().split('\n');
}

describe.skipIf(program === undefined)(`grpcurl (${peerVersion('grpcurl')}), without any .proto file`, () => {
  it('lists what the collector offers, and describes every symbol of it', async () => {
    const services = lines((await grpcurl([], 'list')).stdout);
    expect(services).toEqual([
      'grpc.health.v1.Health',
      'grpc.reflection.v1.ServerReflection',
      'grpc.reflection.v1alpha.ServerReflection',
      'opentelemetry.proto.collector.logs.v1.LogsService',
      'opentelemetry.proto.collector.metrics.v1.MetricsService',
      TRACE_SERVICE,
      'reenact.replay.v1.ReplayService',
    ]);
    for (const service of services) {
      const { exitCode, stdout, stderr } = await grpcurl([], 'list', service);
      expect([exitCode, stderr]).toEqual([0, '']);
      for (const method of lines(stdout)) expect((await grpcurl([], 'describe', method)).exitCode).toBe(0);
    }
  });

  it.each([
    ['opentelemetry.proto.trace.v1.Span', 'repeated .opentelemetry.proto.common.v1.KeyValue attributes = 9;'],
    ['opentelemetry.proto.trace.v1.Span', 'enum SpanKind {'],
    ['opentelemetry.proto.metrics.v1.HistogramDataPoint', 'optional double sum = 5;'],
    ['opentelemetry.proto.common.v1.AnyValue', 'oneof value {'],
    ['grpc.health.v1.HealthCheckResponse', '.grpc.health.v1.HealthCheckResponse.ServingStatus status = 1;'],
    ['reenact.replay.v1.ReplayService', 'rpc JoinReplay ( .reenact.replay.v1.JoinRequest ) returns ( stream'],
  ])('shows of %s: %s', async (symbol, shown) => {
    expect((await grpcurl([], 'describe', symbol)).stdout).toContain(shown);
  });

  it('sends an export that is stored, and asks about health', async () => {
    const span = {
      traceId: Buffer.from(traceIdOf(8), 'hex').toString('base64'),
      spanId: Buffer.from(spanIdOf(8), 'hex').toString('base64'),
      name: 'by hand',
      kind: 'SPAN_KIND_SERVER',
      attributes: [{ key: 'shares', value: { intValue: '1000' } }],
    };
    const request = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
    const sent = await grpcurl(['-d', request], `${TRACE_SERVICE}/Export`);
    expect([sent.exitCode, sent.stderr, JSON.parse(sent.stdout)]).toEqual([0, '', {}]);
    const kept = await (await fetch(`${urls.http}/api/v1/recordings/${spanIdOf(8)}`)).text();
    for (const part of ['by hand', '"kind":2', '"intValue":"1000"']) expect(kept).toContain(part);
    const health = await grpcurl(['-d', `{"service":"${TRACE_SERVICE}"}`], 'grpc.health.v1.Health/Check');
    expect(JSON.parse(health.stdout)).toEqual({ status: 'SERVING' });
  });
});
