import { encodeLogsProtobuf, type KeyValue, type LogRecord, type Span } from '@reenact/otlp';
import { digestOf } from '@reenact/trace-model';
import { makeSpan, postSpans, spanIdOf, textAttributes, traceIdOf } from '../testbed.ts';

/** Members of a crossing that a test has something to say about. */
export interface PlannedCrossing {
  /** Number its span id is made of. */
  readonly span: number;
  /** Number its trace id is made of. */
  readonly trace: number;
  readonly parent?: number;
  readonly kind?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly output?: unknown;
  /** Further attributes, or others in place of what is made. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** Seconds after the first start. */
  readonly atSecond?: number;
  readonly members?: Partial<Span>;
}

const FIRST_SECOND = 1_763_700_000;

/** One crossing as its span arrives: it returned. */
export function crossingSpan(planned: PlannedCrossing): Span {
  const { span, trace, parent, kind = 'tool', name = 'quote', input = [1], output = 2, atSecond = 0 } = planned;
  const written = { input: JSON.stringify(input), output: JSON.stringify(output) };
  const attributes = {
    'reenact.schema': '1',
    'reenact.outcome': 'returned',
    'reenact.call': 'promise',
    'reenact.effect': 'none',
    'reenact.boundary': kind,
    'reenact.name': name,
    'reenact.input': written.input,
    'reenact.input.digest': digestOf(written.input),
    'reenact.output': written.output,
    'reenact.output.digest': digestOf(written.output),
    ...(parent === undefined ? {} : { 'reenact.parent': spanIdOf(parent) }),
    ...planned.attributes,
  };
  const start = BigInt(FIRST_SECOND + atSecond) * 1_000_000_000n;
  return makeSpan({
    traceId: traceIdOf(trace),
    spanId: spanIdOf(span),
    ...(parent === undefined ? {} : { parentSpanId: spanIdOf(parent) }),
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(start + 5_000_000n),
    attributes: textAttributes(attributes),
    ...planned.members,
  });
}

/** Sends spans and fails where they are not taken. */
export async function send(httpUrl: string, spans: readonly Span[], service?: string): Promise<void> {
  const response = await postSpans(httpUrl, spans, service);
  if (response.status !== 200) throw new Error(`spans were refused: ${response.status} ${await response.text()}`);
}

/** Sends log records as OTLP/HTTP protobuf and fails where they are not taken. */
export async function sendLogs(httpUrl: string, logRecords: readonly LogRecord[]): Promise<void> {
  const body = encodeLogsProtobuf({ resourceLogs: [{ scopeLogs: [{ logRecords: [...logRecords] }] }] });
  const headers = { 'content-type': 'application/x-protobuf' };
  const response = await fetch(`${httpUrl}/v1/logs`, { method: 'POST', headers, body: Buffer.from(body) });
  if (response.status !== 200) throw new Error(`logs were refused: ${response.status} ${await response.text()}`);
}

/** Whole numbers as attributes. */
export function countAttributes(values: Readonly<Record<string, number>>): KeyValue[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: { intValue: String(value) } }));
}
