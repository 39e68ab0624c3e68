import { assembleRecording } from '@reenact/dialects';
import { type KeyValue, type PlainValue, type Span, fromMap } from '@reenact/otlp';
import { ATTR_GEN_AI_TOOL_CALL_ID } from '@reenact/semconv/gen-ai';
import * as keys from '@reenact/semconv/reenact';
import {
  type BoundaryKind,
  type CallShape,
  digestOf,
  type Effect,
  encodeValue,
  type Exchange,
  type Payload,
  type Recording,
} from '@reenact/trace-model';

/** One crossing of a recording to build; times are microseconds since the run started. */
export interface CrossingPlan {
  readonly label: `${BoundaryKind}:${string}`;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly error?: unknown;
  readonly chunks?: readonly (readonly [offsetUs: number, value: unknown])[];
  readonly outcome?: 'returned' | 'threw' | 'ended' | 'failed' | 'aborted' | 'pending';
  readonly startUs?: number;
  readonly endUs?: number;
  readonly settled?: number;
  readonly call?: CallShape;
  readonly effect?: Effect;
  readonly toolCallId?: string;
  readonly canonical?: string;
  readonly exchanges?: readonly Exchange[];
  readonly lossy?: readonly string[];
  readonly redacted?: readonly string[];
  /** Attributes that are left out, to make a cold or damaged recording. */
  readonly without?: readonly string[];
  /** Attributes that are put over what was built. */
  readonly attributes?: Readonly<Record<string, PlainValue>>;
  readonly children?: readonly CrossingPlan[];
}

/** The trace id of every built recording. */
const BUILT_TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';

const originNano = 1_790_000_000_000_000_000n;

function payloadAttributes(key: string, payload: Payload): Record<string, PlainValue> {
  return { [key]: payload.data ?? '', [`${key}.format`]: payload.format, [`${key}.digest`]: payload.digest };
}

function textAttributes(key: string, digestKey: string, text: string): Record<string, PlainValue> {
  return { [key]: text, [digestKey]: digestOf(text) };
}

function outcomeAttributes(plan: CrossingPlan, type: string): Record<string, PlainValue> {
  const attributes: Record<string, PlainValue> = { [keys.ATTR_REENACT_OUTCOME]: type };
  const hasValue = type === 'returned' || (type === 'ended' && plan.output !== undefined);
  if (hasValue) Object.assign(attributes, payloadAttributes(keys.ATTR_REENACT_OUTPUT, encodeValue(plan.output).payload));
  if (plan.error !== undefined) {
    const text = encodeValue(plan.error).payload.data ?? '';
    Object.assign(attributes, textAttributes(keys.ATTR_REENACT_ERROR, keys.ATTR_REENACT_ERROR_DIGEST, text));
  }
  if (plan.chunks !== undefined) {
    const chunks = plan.chunks.map(([offsetUs, value]) => {
      const { payload } = encodeValue(value);
      return [offsetUs, payload.format, payload.data];
    });
    const text = JSON.stringify(chunks);
    Object.assign(
      attributes,
      textAttributes(keys.ATTR_REENACT_OUTPUT_CHUNKS, keys.ATTR_REENACT_OUTPUT_CHUNKS_DIGEST, text),
    );
  }
  return attributes;
}

function optionalAttributes(plan: CrossingPlan): Record<string, PlainValue> {
  const exchanges = plan.exchanges === undefined ? undefined : JSON.stringify(plan.exchanges);
  return {
    ...(plan.settled === undefined ? {} : { [keys.ATTR_REENACT_SETTLED]: plan.settled }),
    ...(plan.effect === undefined ? {} : { [keys.ATTR_REENACT_EFFECT]: plan.effect }),
    ...(plan.toolCallId === undefined ? {} : { [ATTR_GEN_AI_TOOL_CALL_ID]: plan.toolCallId }),
    ...(plan.canonical === undefined ? {} : { [keys.ATTR_REENACT_CANONICAL]: plan.canonical }),
    ...(plan.lossy === undefined ? {} : { [keys.ATTR_REENACT_LOSSY]: [...plan.lossy] }),
    ...(plan.redacted === undefined ? {} : { [keys.ATTR_REENACT_REDACTED]: [...plan.redacted] }),
    ...(exchanges === undefined
      ? {}
      : textAttributes(keys.ATTR_REENACT_EXCHANGES, keys.ATTR_REENACT_EXCHANGES_DIGEST, exchanges)),
  };
}

function outcomeType(plan: CrossingPlan): NonNullable<CrossingPlan['outcome']> {
  if (plan.outcome !== undefined) return plan.outcome;
  if (plan.chunks !== undefined) return plan.error === undefined ? 'ended' : 'failed';
  return plan.error === undefined ? 'returned' : 'threw';
}

function attributesOf(plan: CrossingPlan, parent: string | undefined, order: number): KeyValue[] {
  const [kind = '', ...name] = plan.label.split(':');
  const all: Record<string, PlainValue> = {
    [keys.ATTR_REENACT_SCHEMA]: '1',
    [keys.ATTR_REENACT_BOUNDARY]: kind,
    [keys.ATTR_REENACT_NAME]: name.join(':'),
    [keys.ATTR_REENACT_ORDER]: order,
    [keys.ATTR_REENACT_CALL]: plan.call ?? 'promise',
    ...(parent === undefined ? {} : { [keys.ATTR_REENACT_PARENT]: parent }),
    ...payloadAttributes(keys.ATTR_REENACT_INPUT, encodeValue(plan.input ?? []).payload),
    ...outcomeAttributes(plan, outcomeType(plan)),
    ...optionalAttributes(plan),
    ...plan.attributes,
  };
  for (const key of plan.without ?? []) delete all[key];
  return fromMap(Object.entries(all));
}

/** Builds recordings through the same path as real ones: spans with `reenact.*` attributes, read by the dialects. */
class RecordingBuilder {
  readonly spans: Span[] = [];
  private elapsedUs = 0;

  add(plan: CrossingPlan, parent: string | undefined, order: number): void {
    const spanId = (this.spans.length + 1).toString(16).padStart(16, '0');
    const startUs = plan.startUs ?? ++this.elapsedUs;
    const span: Span = {
      traceId: BUILT_TRACE_ID,
      spanId,
      ...(parent === undefined ? {} : { parentSpanId: parent }),
      name: plan.label,
      kind: 1,
      startTimeUnixNano: String(originNano + BigInt(startUs) * 1_000n),
      endTimeUnixNano: '0',
      attributes: attributesOf(plan, parent, order),
    };
    this.spans.push(span);
    plan.children?.forEach((child, index) => {
      this.add(child, spanId, index);
    });
    const endUs = plan.endUs ?? ++this.elapsedUs;
    span.endTimeUnixNano = String(originNano + BigInt(endUs) * 1_000n);
  }
}

/** A recording of the given runs. Span ids count from 1 in the order of the plan, parents before children. */
export function buildRecording(runs: CrossingPlan | readonly CrossingPlan[], resource: KeyValue[] = []): Recording {
  const builder = new RecordingBuilder();
  const roots: readonly CrossingPlan[] = 'label' in runs ? [runs] : runs;
  roots.forEach((run, index) => {
    builder.add(run, undefined, index);
  });
  return assembleRecording({
    resourceSpans: [{ resource: { attributes: resource }, scopeSpans: [{ spans: builder.spans }] }],
  });
}
