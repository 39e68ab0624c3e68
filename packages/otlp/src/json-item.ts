import { type PlainValue, toPlain } from './attributes.ts';
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

/** Spans of a traces request; of one that is spelt plainly only the attributes of these keys are kept as they were parsed. */
export function jsonSpans(keysAtHand: ReadonlySet<string>): JsonItemReader<SpanSlice> {
  return {
    message: 'Span',
    readPlain: (value, place) => {
      if (!isPlainMessage('Span', value)) return undefined;
      const span = value as Parsed<Span>;
      const [traceId, spanId] = [readId(span.traceId), readId(span.spanId)];
      if (traceId === '' || spanId === '') return undefined;
      return new JsonSpan(place, readSpanFacts(span, traceId, spanId), attributesAtHand(span, keysAtHand), keysAtHand);
    },
    read: (value, place) => {
      const span = value as Span;
      return new JsonSpan(place, readSpanFacts(span, span.traceId, span.spanId), attributesOf(span), undefined);
    },
  };
}

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

/** Of a span that has none of them nothing parsed is kept at all. */
const NO_ATTRIBUTES: readonly ParsedAttribute[] = [];

type ParsedAttribute = Partial<KeyValue>;

function attributesOf(span: Parsed<Span>): readonly ParsedAttribute[] {
  return (span.attributes ?? NO_ATTRIBUTES) as readonly ParsedAttribute[];
}

function attributesAtHand(span: Parsed<Span>, keysAtHand: ReadonlySet<string>): readonly ParsedAttribute[] {
  let found: ParsedAttribute[] | undefined;
  for (const attribute of attributesOf(span)) {
    if (!keysAtHand.has(readName(attribute.key))) continue;
    if (found === undefined) found = [attribute];
    else found.push(attribute);
  }
  return found ?? NO_ATTRIBUTES;
}

function readSpanFacts(span: Parsed<Span>, traceId: string, spanId: string): SpanFacts {
  return {
    traceId,
    spanId,
    startTimeUnixNano: readTime(span.startTimeUnixNano),
    endTimeUnixNano: readTime(span.endTimeUnixNano),
  };
}

/**
 * One span with those of its attributes that are going to be asked for; for others it is parsed again. Everything that was parsed, kept for a
 * whole request, would be copied by one collection of garbage after the other.
 */
class JsonSpan implements SpanSlice {
  readonly format = 'json';
  readonly bytes: Uint8Array;
  readonly resource: GroupSlice;
  readonly scope: GroupSlice;
  readonly facts: SpanFacts;
  private readonly attributes: readonly ParsedAttribute[];
  /** Undefined where all attributes are at hand. */
  private readonly keysAtHand: ReadonlySet<string> | undefined;

  constructor(
    place: SlicePlace,
    facts: SpanFacts,
    attributes: readonly ParsedAttribute[],
    keysAtHand: ReadonlySet<string> | undefined,
  ) {
    this.bytes = place.bytes;
    this.resource = place.resource;
    this.scope = place.scope;
    this.facts = facts;
    this.attributes = attributes;
    this.keysAtHand = keysAtHand;
  }

  attribute(key: string): PlainValue | undefined {
    const found = this.attributesFor([key]).findLast((attribute) => readName(attribute.key) === key);
    if (found === undefined) return undefined;
    const read = normaliseJson<AnyValue>('AnyValue', found.value ?? {});
    return read.ok ? toPlain(read.value) : undefined;
  }

  attributesPresent(keys: readonly string[]): ReadonlySet<string> {
    const present = new Set<string>();
    for (const { key } of this.attributesFor(keys)) if (keys.includes(readName(key))) present.add(readName(key));
    return present;
  }

  private attributesFor(keys: readonly string[]): readonly ParsedAttribute[] {
    const { keysAtHand } = this;
    if (keysAtHand === undefined || keys.every((key) => keysAtHand.has(key))) return this.attributes;
    return attributesOf(JSON.parse(Buffer.from(this.bytes).toString()));
  }
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
