import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import {
  decodeTracesJson,
  encodeLogsJson,
  encodeLogsProtobuf,
  encodeTracesProtobuf,
  type LogsData,
} from '@reenact/otlp';

/** Requests as they arrive, by what they hold and how. */
export interface RealRequests {
  readonly tracesProtobuf: readonly Buffer[];
  readonly tracesJson: readonly Buffer[];
  readonly logsProtobuf: readonly Buffer[];
  readonly logsJson: readonly Buffer[];
}

const runs = new URL('../fixtures/runs/v1', import.meta.url).pathname;

/** Spans of an application under the SDK, with everything that spans can have, as its exporters write them. */
function sdkRequests(): { readonly protobuf: Buffer; readonly json: Buffer } {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const tracer = provider.getTracer('fuzz', '1.2.3', { schemaUrl: 'https://opentelemetry.io/schemas/1.38.0' });
  const parent = tracer.startSpan('request', {
    kind: SpanKind.SERVER,
    attributes: { 'http.route': '/π', big: 2 ** 53 },
  });
  const context = trace.setSpan(ROOT_CONTEXT, parent);
  const links = [{ context: parent.spanContext(), attributes: { why: 'after' } }];
  const child = tracer.startSpan('chat', { kind: SpanKind.CLIENT, links }, context);
  child.setAttributes({
    text: 'a "quoted" \\ text\n',
    flags: [true, false],
    numbers: [1, -2.5, 1e300],
    words: ['a', ''],
  });
  child.addEvent('retry', { attempt: 2 });
  child.recordException(new TypeError('no such tool'));
  child.setStatus({ code: SpanStatusCode.ERROR, message: 'no such tool' });
  child.end();
  parent.end();
  const spans = exporter.getFinishedSpans();
  return {
    protobuf: Buffer.from(ProtobufTraceSerializer.serializeRequest(spans) ?? []),
    json: Buffer.from(JsonTraceSerializer.serializeRequest(spans) ?? []),
  };
}

const logs: LogsData = {
  resourceLogs: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] },
      scopeLogs: [
        {
          scope: { name: 'fuzz' },
          logRecords: [
            {
              timeUnixNano: '1763700000000000001',
              severityNumber: 9,
              body: { kvlistValue: { values: [{ key: 'role', value: { stringValue: 'user' } }] } },
              attributes: [{ key: 'n', value: { arrayValue: { values: [{ intValue: '-7' }, { doubleValue: 0.5 }] } } }],
              traceId: '0af7651916cd43dd8448eb211c80319c',
              spanId: 'b7ad6b7169203331',
              eventName: 'message',
            },
            { observedTimeUnixNano: '1763700000000000002', body: { bytesValue: 'AAEC/w==' } },
          ],
        },
      ],
    },
  ],
};

/** Real requests to start from: recorded runs, an application under the SDK, and log events. */
export function realRequests(): RealRequests {
  const sdk = sdkRequests();
  const lines = readdirSync(runs, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(runs, name), 'utf8').split('\n'))
    .filter((line) => line.includes('"resourceSpans"'));
  const recorded = lines.flatMap((line) => {
    const decoded = decodeTracesJson(line);
    return decoded.ok ? [Buffer.from(encodeTracesProtobuf(decoded.data))] : [];
  });
  return {
    tracesProtobuf: [sdk.protobuf, ...recorded],
    tracesJson: [sdk.json, ...lines.map((line) => Buffer.from(line))],
    logsProtobuf: [Buffer.from(encodeLogsProtobuf(logs))],
    logsJson: [Buffer.from(encodeLogsJson(logs))],
  };
}
