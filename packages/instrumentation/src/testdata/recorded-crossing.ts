import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import {
  type BoundaryKind,
  type CallShape,
  type Crossing,
  type Effect,
  type Outcome,
  type Payload,
  type PayloadFormat,
  payloadOf,
} from '@reenact/trace-model';
import { exchangesSchema } from '@reenact/trace-model/reading';

type Attributes = Readonly<Record<string, unknown>>;

function payload(attributes: Attributes, key: string, format?: PayloadFormat): Payload | undefined {
  const digest = attributes[`${key}.digest`];
  if (typeof digest !== 'string') return undefined;
  const data = attributes[key];
  return {
    format: format ?? ((attributes[`${key}.format`] ?? 'json') as PayloadFormat),
    digest,
    ...(typeof data === 'string' ? { data } : {}),
  };
}


function chunksOf(attributes: Attributes): { offsetUs: number; value: Payload }[] {
  const list = JSON.parse(String(attributes['reenact.output.chunks'] ?? '[]')) as [number, PayloadFormat, string][];
  return list.map(([offsetUs, format, data]) => ({ offsetUs, value: payloadOf(format, data) }));
}

function outcomeOf(attributes: Attributes): Outcome {
  const type = attributes['reenact.outcome'] as Outcome['type'];
  const value = payload(attributes, 'reenact.output');
  const error = payload(attributes, 'reenact.error', 'js');
  const chunks = chunksOf(attributes);
  const values = { ...(value === undefined ? {} : { value }), ...(error === undefined ? {} : { error }) };
  switch (type) {
    case 'returned':
    case 'threw':
      return { type, ...values };
    case 'ended':
    case 'failed':
    case 'aborted':
      return { type, chunks, ...values };
    case 'pending':
      return { type };
  }
}

/** The crossing that a recorded span stands for, read from nothing but its attributes. */
export function crossingOf(span: ReadableSpan): Crossing {
  const attributes: Attributes = span.attributes;
  const parent = attributes['reenact.parent'];
  const input = payload(attributes, 'reenact.input');
  const resultArgument = attributes['reenact.result_argument'];
  const toolCallId = attributes['gen_ai.tool.call.id'];
  return {
    traceId: span.spanContext().traceId,
    spanId: span.spanContext().spanId,
    ...(typeof parent === 'string' ? { parentSpanId: parent } : {}),
    kind: attributes['reenact.boundary'] as BoundaryKind,
    name: String(attributes['reenact.name']),
    path: `${String(attributes['reenact.boundary'])}:${String(attributes['reenact.name'])}`,
    order: Number(attributes['reenact.order']),
    settled: Number(attributes['reenact.settled']),
    call: attributes['reenact.call'] as CallShape,
    effect: attributes['reenact.effect'] as Effect,
    capture: (attributes['reenact.capture'] ?? 'full') as Crossing['capture'],
    canonicalPolicy: String(attributes['reenact.canonical']),
    ...(input === undefined ? {} : { input }),
    ...(typeof resultArgument === 'number' ? { resultArgument } : {}),
    ...(typeof toolCallId === 'string' ? { toolCallId } : {}),
    outcome: outcomeOf(attributes),
    exchanges: exchangesSchema.parse(JSON.parse(String(attributes['reenact.exchanges'] ?? '[]'))),
    startTimeUnixNano: 0n,
    endTimeUnixNano: 0n,
    lossy: (attributes['reenact.lossy'] ?? []) as string[],
    redacted: [],
    dialect: 'reenact',
    attributes: new Map(),
    damage: [],
  };
}
