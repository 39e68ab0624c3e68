import { type Attributes, context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter as GrpcExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-node';
import type { RunningCollector } from '@reenact/collector';
import { decodeTracesJson, type Span, toMap } from '@reenact/otlp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { spansOf, Testbed } from '../testbed.ts';

const ATTRIBUTES: Attributes = {
  text: 'naïve ☃ 𝄞',
  large: 'x'.repeat(300_000),
  count: 42,
  big: Number.MAX_SAFE_INTEGER,
  ratio: 0.25,
  flag: true,
  list: ['a', 'b'],
};

type MakeExporter = (collector: RunningCollector) => SpanExporter;
/** The enum lives in a package that is not ours to import. */
type Compression = NonNullable<NonNullable<ConstructorParameters<typeof ProtobufExporter>[0]>['compression']>;
const GZIP = 'gzip' as Compression;
const EXPORTERS: readonly (readonly [string, MakeExporter])[] = [
  ['OTLP/HTTP protobuf', ({ httpUrl }) => new ProtobufExporter({ url: `${httpUrl}/v1/traces` })],
  [
    'OTLP/HTTP protobuf, gzip',
    ({ httpUrl }) => new ProtobufExporter({ url: `${httpUrl}/v1/traces`, compression: GZIP }),
  ],
  ['OTLP/HTTP JSON', ({ httpUrl }) => new JsonExporter({ url: `${httpUrl}/v1/traces` })],
  ['OTLP/HTTP JSON, gzip', ({ httpUrl }) => new JsonExporter({ url: `${httpUrl}/v1/traces`, compression: GZIP })],
  ['OTLP/gRPC', ({ grpcUrl }) => new GrpcExporter({ url: grpcUrl })],
  ['OTLP/gRPC, gzip', ({ grpcUrl }) => new GrpcExporter({ url: grpcUrl, compression: GZIP })],
];

/** Records a root with an event and a failed child; returns the root's span id. */
async function recordRun(exporter: SpanExporter): Promise<string> {
  const provider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
  const tracer = provider.getTracer('conformance', '1.0');
  const root = tracer.startSpan('root', { kind: SpanKind.SERVER, attributes: ATTRIBUTES });
  root.addEvent('checkpoint', { step: 1 });
  const child = tracer.startSpan('child', {}, trace.setSpan(context.active(), root));
  child.setStatus({ code: SpanStatusCode.ERROR, message: 'boom' });
  child.end();
  root.end();
  await provider.forceFlush();
  await provider.shutdown();
  return root.spanContext().spanId;
}

function findSpan(spans: readonly Span[], name: string): Span {
  const span = spans.find((candidate) => candidate.name === name);
  if (span === undefined) expect.fail(`no span ${name}`);
  return span;
}

describe('the exporters of the OpenTelemetry SDK', () => {
  const testbed = new Testbed();
  let collector: RunningCollector;
  beforeAll(async () => {
    collector = await testbed.start();
  });
  afterAll(() => testbed.dispose());

  it.each(EXPORTERS)('deliver over %s what was recorded', async (_label, makeExporter) => {
    const rootSpanId = await recordRun(makeExporter(collector));
    const response = await fetch(`${collector.httpUrl}/api/v1/recordings/${rootSpanId}`);
    expect(response.status).toBe(200);
    const decoded = decodeTracesJson(await response.text());
    if (!decoded.ok) expect.fail(decoded.problem.message);
    const spans = spansOf(decoded.data);
    expect(spans).toHaveLength(2);
    const root = findSpan(spans, 'root');
    expect(Object.fromEntries(toMap(root.attributes))).toEqual(ATTRIBUTES);
    expect(root).toMatchObject({ spanId: rootSpanId, kind: 2, events: [{ name: 'checkpoint' }] });
    expect(findSpan(spans, 'child')).toMatchObject({
      parentSpanId: rootSpanId,
      traceId: root.traceId,
      status: { code: 2, message: 'boom' },
    });
    expect(decoded.data.resourceSpans[0]?.scopeSpans[0]?.scope).toMatchObject({ name: 'conformance', version: '1.0' });
  });
});
