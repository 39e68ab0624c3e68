import { ByteParts } from './byte-parts.ts';
import {
  type IdentifierRule,
  LOG_SPAN_ID,
  LOG_TRACE_ID,
  PARENT_SPAN_ID,
  readIdentifier,
  SPAN_ID,
  TRACE_ID,
} from './identifier.ts';
import { checkShape, LOG_RECORD_SHAPE, SPAN_SHAPE } from './message-shape.ts';
import type { OtlpProblem } from './problem.ts';
import type { LogFacts, SpanFacts } from './slice.ts';
import {
  createWireWalker,
  fieldBytes,
  nextField,
  readFixed64,
  readInt32,
  WIRE_BYTES,
  WIRE_FIXED64,
  WIRE_VARINT,
  type WireWalker,
} from './wire-walker.ts';

const EMPTY: Uint8Array = new Uint8Array(0);
/** Lenient, and keeping a byte order mark: a name is what was sent. */
const text = new TextDecoder('utf-8', { ignoreBOM: true });

/** Either the index fields of an item, or why it is rejected. */
export type FactsResult<Facts> =
  | { readonly ok: true; readonly facts: Facts }
  | { readonly ok: false; readonly problem: OtlpProblem };

/** Whether the walker stands on this field with the wire type the schema gives it; otherwise the field is unknown. */
function isField(walker: WireWalker, fieldNumber: number, wireType: number): boolean {
  return walker.fieldNumber === fieldNumber && walker.wireType === wireType;
}

/** Reads the index fields of the span at bytes[start, end); checks its ids and that all of it can be decoded later. */
export function readSpanFacts(bytes: Uint8Array, start: number, end: number): FactsResult<SpanFacts> {
  const problem = checkShape(SPAN_SHAPE, bytes, start, end);
  if (problem !== undefined) return { ok: false, problem };
  const found = {
    traceId: EMPTY,
    spanId: EMPTY,
    parentSpanId: EMPTY,
    name: EMPTY,
    kind: 0,
    startTimeUnixNano: 0n,
    endTimeUnixNano: 0n,
    statusCode: 0,
  };
  const walker = createWireWalker(bytes, start, end);
  while (nextField(walker)) {
    if (isField(walker, 1, WIRE_BYTES)) found.traceId = fieldBytes(walker);
    else if (isField(walker, 2, WIRE_BYTES)) found.spanId = fieldBytes(walker);
    else if (isField(walker, 4, WIRE_BYTES)) found.parentSpanId = fieldBytes(walker);
    else if (isField(walker, 5, WIRE_BYTES)) found.name = fieldBytes(walker);
    else if (isField(walker, 6, WIRE_VARINT)) found.kind = readInt32(walker);
    else if (isField(walker, 7, WIRE_FIXED64)) found.startTimeUnixNano = readFixed64(walker);
    else if (isField(walker, 8, WIRE_FIXED64)) found.endTimeUnixNano = readFixed64(walker);
    else if (isField(walker, 15, WIRE_BYTES)) found.statusCode = readStatusCode(walker, found.statusCode);
  }
  const ids = readIdentifiers(start, [
    [TRACE_ID, found.traceId],
    [SPAN_ID, found.spanId],
    [PARENT_SPAN_ID, found.parentSpanId],
  ]);
  if (!Array.isArray(ids)) return { ok: false, problem: ids };
  const [traceId = '', spanId = '', parentSpanId = ''] = ids;
  return { ok: true, facts: { ...found, traceId, spanId, parentSpanId, name: text.decode(found.name) } };
}

/** A status that arrives in pieces is merged: a later piece without a code leaves the earlier code standing. */
function readStatusCode(span: WireWalker, earlier: number): number {
  let code = earlier;
  const status = createWireWalker(span.bytes, span.valueStart, span.valueEnd);
  while (nextField(status)) if (isField(status, 3, WIRE_VARINT)) code = readInt32(status);
  return code;
}

/** Reads the index fields of the log record at bytes[start, end). */
export function readLogFacts(bytes: Uint8Array, start: number, end: number): FactsResult<LogFacts> {
  const problem = checkShape(LOG_RECORD_SHAPE, bytes, start, end);
  if (problem !== undefined) return { ok: false, problem };
  const found = { traceId: EMPTY, spanId: EMPTY, eventName: EMPTY, timeUnixNano: 0n, observed: 0n };
  const walker = createWireWalker(bytes, start, end);
  while (nextField(walker)) {
    if (isField(walker, 1, WIRE_FIXED64)) found.timeUnixNano = readFixed64(walker);
    else if (isField(walker, 9, WIRE_BYTES)) found.traceId = fieldBytes(walker);
    else if (isField(walker, 10, WIRE_BYTES)) found.spanId = fieldBytes(walker);
    else if (isField(walker, 11, WIRE_FIXED64)) found.observed = readFixed64(walker);
    else if (isField(walker, 12, WIRE_BYTES)) found.eventName = fieldBytes(walker);
  }
  const ids = readIdentifiers(start, [
    [LOG_TRACE_ID, found.traceId],
    [LOG_SPAN_ID, found.spanId],
  ]);
  if (!Array.isArray(ids)) return { ok: false, problem: ids };
  const [traceId = '', spanId = ''] = ids;
  const timeUnixNano = found.timeUnixNano === 0n ? found.observed : found.timeUnixNano;
  return { ok: true, facts: { traceId, spanId, timeUnixNano, eventName: text.decode(found.eventName) } };
}

/** All ids as hex, or the first that is wrong. */
function readIdentifiers(
  offset: number,
  ids: readonly (readonly [IdentifierRule, Uint8Array])[],
): string[] | OtlpProblem {
  const texts: string[] = [];
  for (const [rule, bytes] of ids) {
    const result = readIdentifier(rule, bytes, offset);
    if (typeof result !== 'string') return result;
    texts.push(result);
  }
  return texts;
}

/** The bytes of a message field that may have arrived in several pieces; empty when it never did. */
export function collectMessage(bytes: Uint8Array, start: number, end: number, fieldNumber: number): Uint8Array {
  const parts = new ByteParts(bytes);
  const walker = createWireWalker(bytes, start, end);
  while (nextField(walker)) {
    if (isField(walker, fieldNumber, WIRE_BYTES)) parts.note(walker.valueStart, walker.valueEnd);
  }
  if (!parts.isScattered) return parts.whole();
  const again = createWireWalker(bytes, start, end);
  while (nextField(again)) {
    if (isField(again, fieldNumber, WIRE_BYTES)) parts.fill(again.valueStart, again.valueEnd);
  }
  return parts.whole();
}
