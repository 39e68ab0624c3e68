import { toPlain } from './attributes.ts';
import { normaliseJson } from './json-codec.ts';
import { isPlainMessage } from './plain-shape.ts';
import type { GroupSlice, LogFacts, LogSlice, SpanFacts, SpanSlice } from './slice.ts';
import type { AnyValue, KeyValue, LogRecord, Span } from './span.ts';

const ZEROS = /^0+$/;

/** A parsed OTLP/JSON item whose members are those of `Message`, each perhaps null and spelt as it was sent. */
type Parsed<Message> = { readonly [Member in keyof Message]?: unknown };

/** How the items of one signal are read: their index fields, and the slice that goes with them. */
export interface JsonItemReader<Slice> {
  /** The message of one item, as the descriptor names it. */
  readonly message: string;
  /** The slice of an item that is spelt plainly; undefined where it has to be normalised to know what it says. Without it, each is. */
  readonly readPlain?: (value: unknown, place: SlicePlace) => Slice | undefined;
  /** The slice of a normalised item. */
  readonly read: (value: object, place: SlicePlace) => Slice;
}

/** The bytes of an item and what it belongs to. */
export interface SlicePlace {
  readonly bytes: Uint8Array;
  readonly resource: GroupSlice;
  readonly scope: GroupSlice;
}

/** Spans of a traces request. */
export const JSON_SPANS: JsonItemReader<SpanSlice> = {
  message: 'Span',
  readPlain: (value, place) => {
    if (!isPlainMessage('Span', value)) return undefined;
    const span = value as Parsed<Span>;
    const [traceId, spanId] = [readId(span.traceId), readId(span.spanId)];
    return traceId === '' || spanId === '' ? undefined : createSpanSlice(span, traceId, spanId, place);
  },
  read: (value, place) => {
    const span = value as Span;
    return createSpanSlice(span, span.traceId, span.spanId, place);
  },
};

/** Records of a logs request. */
export const JSON_LOG_RECORDS: JsonItemReader<LogSlice> = {
  message: 'LogRecord',
  readPlain: (value, place) =>
    isPlainMessage('LogRecord', value) ? createLogSlice(value as object, place) : undefined,
  read: createLogSlice,
};

/** An id in lower case; '' where there is none or only zeros, which both mean that. */
function readId(value: unknown): string {
  return typeof value !== 'string' || ZEROS.test(value) ? '' : value.toLowerCase();
}

function readTime(value: unknown): bigint {
  return BigInt((value ?? 0) as string | number);
}

function readName(value: unknown): string {
  return (value ?? '') as string;
}

function createSpanSlice(span: Parsed<Span>, traceId: string, spanId: string, place: SlicePlace): SpanSlice {
  const attributes = (span.attributes ?? []) as readonly Partial<KeyValue>[];
  const facts: SpanFacts = {
    traceId,
    spanId,
    startTimeUnixNano: readTime(span.startTimeUnixNano),
    endTimeUnixNano: readTime(span.endTimeUnixNano),
  };
  return {
    format: 'json',
    ...place,
    facts,
    attribute: (key) => {
      const found = attributes.findLast((attribute) => readName(attribute.key) === key);
      if (found === undefined) return undefined;
      const read = normaliseJson<AnyValue>('AnyValue', found.value ?? {});
      return read.ok ? toPlain(read.value) : undefined;
    },
    attributesPresent: (keys) => {
      const present = new Set<string>();
      for (const { key } of attributes) if (keys.includes(readName(key))) present.add(readName(key));
      return present;
    },
  };
}

function createLogSlice(value: object, place: SlicePlace): LogSlice {
  const record = value as Parsed<LogRecord>;
  const timeUnixNano = readTime(record.timeUnixNano);
  const facts: LogFacts = {
    traceId: readId(record.traceId),
    spanId: readId(record.spanId),
    timeUnixNano: timeUnixNano === 0n ? readTime(record.observedTimeUnixNano) : timeUnixNano,
  };
  return { format: 'json', ...place, facts };
}
