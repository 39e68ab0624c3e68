import type { Span } from '@reenact/otlp';
import { ATTR_GEN_AI_TOOL_CALL_ID } from '@reenact/semconv/gen-ai';
import {
  ATTR_REENACT_BEGUN,
  ATTR_REENACT_BOUNDARY,
  ATTR_REENACT_CALL,
  ATTR_REENACT_CANONICAL,
  ATTR_REENACT_CAPTURE,
  ATTR_REENACT_EFFECT,
  ATTR_REENACT_ERROR,
  ATTR_REENACT_ERROR_DIGEST,
  ATTR_REENACT_INPUT,
  ATTR_REENACT_KEY,
  ATTR_REENACT_LOSSY,
  ATTR_REENACT_NAME,
  ATTR_REENACT_ORDER,
  ATTR_REENACT_OUTCOME,
  ATTR_REENACT_OUTLIVES_RUN,
  ATTR_REENACT_OUTPUT,
  ATTR_REENACT_OUTPUT_CHUNKS,
  ATTR_REENACT_OUTPUT_CLOSED_US,
  ATTR_REENACT_OUTPUT_DIGEST,
  ATTR_REENACT_OUTPUT_GIVEN_MICROTASKS,
  ATTR_REENACT_OUTPUT_GIVEN_US,
  ATTR_REENACT_OUTPUT_READER,
  ATTR_REENACT_PARENT,
  ATTR_REENACT_REDACTED,
  ATTR_REENACT_RESULT_ARGUMENT,
  ATTR_REENACT_SCHEMA,
  ATTR_REENACT_SDK,
  ATTR_REENACT_SETTLED,
  ATTR_REENACT_SETTLED_MICROTASKS,
  ATTR_REENACT_SETTLED_WITH_PREVIOUS,
  REENACT_OUTCOME_VALUE_PENDING as PENDING,
  REENACT_OUTLIVES_RUN_VALUE_SATISFIED as SATISFIED,
  REENACT_OUTLIVES_RUN_VALUE_WAITING as WAITING,
} from '@reenact/semconv/reenact';
import {
  BOUNDARY_KINDS,
  type BoundaryKind,
  CALL_SHAPES,
  CANONICAL_POLICIES,
  CAPTURE_LEVELS,
  defaultEffect,
  EFFECTS,
  type Outcome,
  type PendingOutcome,
} from '@reenact/trace-model';
import type { Attributes } from '../attributes.ts';
import type { CrossingDraft, Dialect } from '../dialect.ts';
import { unixNano } from '../unix-nano.ts';
import { PayloadReader } from './payload-reader.ts';

/** The payload schema this version reads. */
const PAYLOAD_SCHEMA_VERSION = '1';

function member<Value extends string>(
  attributes: Attributes,
  key: string,
  values: readonly Value[],
  fallback: Value,
): Value {
  const value = attributes.get(key);
  return values.find((item) => item === value) ?? fallback;
}

function strings(attributes: Attributes, key: string): string[] {
  const value = attributes.get(key);
  return Array.isArray(value) ? value.map(String) : [];
}

function integer(attributes: Attributes, key: string): number | undefined {
  const value = attributes.get(key);
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** A small frame that stood for an end too large for one says what that was by its digest; the data of one that goes on is nowhere. */
function unwrittenIn(reader: PayloadReader): Pick<PendingOutcome, 'unwritten'> {
  if (reader.text(ATTR_REENACT_OUTPUT) !== undefined || reader.text(ATTR_REENACT_ERROR) !== undefined) return {};
  const result = reader.text(ATTR_REENACT_OUTPUT_DIGEST);
  const digest = result ?? reader.text(ATTR_REENACT_ERROR_DIGEST);
  return digest === undefined ? {} : { unwritten: { what: result === undefined ? 'error' : 'result', digest } };
}

/** What had come of a stream of values; nothing where the recording has no more of it than a digest. */
function cameIn(reader: PayloadReader): Pick<PendingOutcome, 'chunks'> {
  return reader.text(ATTR_REENACT_OUTPUT_CHUNKS) === undefined ? {} : { chunks: reader.chunks() };
}

function readOutcome(type: string, reader: PayloadReader): Outcome {
  switch (type) {
    case 'returned': {
      const value = reader.payload(ATTR_REENACT_OUTPUT);
      return value === undefined ? { type } : { type, value };
    }
    case 'threw': {
      const error = reader.error();
      return error === undefined ? { type } : { type, error };
    }
    case 'ended': {
      const value = reader.payload(ATTR_REENACT_OUTPUT);
      const chunks = reader.chunks();
      return value === undefined ? { type, chunks } : { type, chunks, value };
    }
    case 'failed': {
      const error = reader.error();
      const chunks = reader.chunks();
      return error === undefined ? { type, chunks } : { type, chunks, error };
    }
    case 'aborted': {
      const chunks = reader.chunks();
      const said = reader.text(ATTR_REENACT_OUTPUT_READER);
      const stand = ([SATISFIED, WAITING] as const).find((known) => known === said);
      return stand === undefined ? { type, chunks } : { type, chunks, reader: stand };
    }
    default:
      if (type !== PENDING) reader.damage.push(`${ATTR_REENACT_OUTCOME} "${type}" is unknown`);
      return { type: 'pending', ...cameIn(reader), ...unwrittenIn(reader) };
  }
}

/** How the crossing ended, as far as its run is concerned: who had all of an answer that it asked for was answered, whatever came of the rest. */
function outcomeIn(attributes: Attributes, reader: PayloadReader): Outcome {
  const type = reader.text(ATTR_REENACT_OUTCOME) ?? PENDING;
  const isAnswered = type === PENDING && attributes.get(ATTR_REENACT_OUTLIVES_RUN) === SATISFIED;
  return isAnswered ? { type: 'returned' } : readOutcome(type, reader);
}

/** When a promise gave its stream. */
function streamGiven(attributes: Attributes): CrossingDraft['streamGiven'] {
  const offsetUs = integer(attributes, ATTR_REENACT_OUTPUT_GIVEN_US);
  const microtasks = integer(attributes, ATTR_REENACT_OUTPUT_GIVEN_MICROTASKS);
  if (offsetUs === undefined) return undefined;
  return microtasks === undefined ? { offsetUs } : { offsetUs, microtasks };
}

function optional(span: Span, attributes: Attributes, reader: PayloadReader): Partial<CrossingDraft> {
  const entries: [keyof CrossingDraft, unknown][] = [
    ['parentSpanId', reader.text(ATTR_REENACT_PARENT)],
    ['order', integer(attributes, ATTR_REENACT_ORDER)],
    ['begun', integer(attributes, ATTR_REENACT_BEGUN)],
    ['settled', integer(attributes, ATTR_REENACT_SETTLED)],
    ['isSettledWithPrevious', attributes.get(ATTR_REENACT_SETTLED_WITH_PREVIOUS) === true ? true : undefined],
    ['settledMicrotasks', integer(attributes, ATTR_REENACT_SETTLED_MICROTASKS)],
    ['streamGiven', streamGiven(attributes)],
    ['closedUs', integer(attributes, ATTR_REENACT_OUTPUT_CLOSED_US)],
    ['outlivesRun', [SATISFIED, WAITING].find((stand) => stand === attributes.get(ATTR_REENACT_OUTLIVES_RUN))],
    ['resultArgument', integer(attributes, ATTR_REENACT_RESULT_ARGUMENT)],
    ['key', reader.text(ATTR_REENACT_KEY)],
    ['toolCallId', reader.text(ATTR_GEN_AI_TOOL_CALL_ID)],
    ['input', reader.payload(ATTR_REENACT_INPUT)],
    ['sdk', reader.text(ATTR_REENACT_SDK)],
    ['draws', reader.draws()],
    ['processDraws', reader.processDraws()],
  ];
  const version = attributes.get(ATTR_REENACT_SCHEMA);
  if (version !== PAYLOAD_SCHEMA_VERSION) entries.push(['unknownVersion', String(version)]);
  if (span.spanId === attributes.get(ATTR_REENACT_PARENT))
    reader.damage.push(`${ATTR_REENACT_PARENT} points at the span itself`);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Partial<CrossingDraft>;
}

/** Spans that Reenact itself recorded: exact payloads under `reenact.*`. */
export const reenactDialect: Dialect = {
  name: 'reenact',
  read(span, attributes) {
    if (!attributes.has(ATTR_REENACT_SCHEMA)) return undefined;
    const reader = new PayloadReader(attributes);
    const kind: BoundaryKind = member(attributes, ATTR_REENACT_BOUNDARY, BOUNDARY_KINDS, 'function');
    if (attributes.get(ATTR_REENACT_BOUNDARY) !== kind) reader.damage.push(`${ATTR_REENACT_BOUNDARY} is unknown`);
    const draft: CrossingDraft = {
      traceId: span.traceId,
      spanId: span.spanId,
      kind,
      name: reader.text(ATTR_REENACT_NAME) ?? span.name,
      call: member(attributes, ATTR_REENACT_CALL, CALL_SHAPES, 'promise'),
      effect: member(attributes, ATTR_REENACT_EFFECT, EFFECTS, defaultEffect(kind)),
      capture: member(attributes, ATTR_REENACT_CAPTURE, CAPTURE_LEVELS, 'full'),
      canonicalPolicy: reader.text(ATTR_REENACT_CANONICAL) ?? CANONICAL_POLICIES.arguments.name,
      exchanges: reader.exchanges(),
      outcome: outcomeIn(attributes, reader),
      startTimeUnixNano: unixNano(span.startTimeUnixNano),
      endTimeUnixNano: unixNano(span.endTimeUnixNano),
      lossy: strings(attributes, ATTR_REENACT_LOSSY),
      redacted: strings(attributes, ATTR_REENACT_REDACTED),
      dialect: 'reenact',
      attributes,
      ...optional(span, attributes, reader),
      damage: reader.damage,
    };
    return draft;
  },
};
