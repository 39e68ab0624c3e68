import { ByteParts } from './byte-parts.ts';
import {
  findWrongIdentifier,
  identifierText,
  LOG_SPAN_ID,
  LOG_TRACE_ID,
  PARENT_SPAN_ID,
  SPAN_ID,
  TRACE_ID,
} from './identifier.ts';
import { checkShape, LOG_RECORD_SHAPE, SPAN_SHAPE } from './message-shape.ts';
import type { OtlpProblem } from './problem.ts';
import type { LogFacts, SpanFacts } from './slice.ts';
import { createWireWalker, nextField, readFixed64, WIRE_BYTES, WIRE_FIXED64, type WireWalker } from './wire-walker.ts';

/** Either the index fields of an item, or why it is rejected. */
export type FactsResult<Facts> =
  | { readonly ok: true; readonly facts: Facts }
  | { readonly ok: false; readonly problem: OtlpProblem };

/** Whether the walker stands on this field with the wire type the schema gives it; otherwise the field is unknown. */
function isField(walker: WireWalker, fieldNumber: number, wireType: number): boolean {
  return walker.fieldNumber === fieldNumber && walker.wireType === wireType;
}

/** Reads the index fields of the span at bytes[start, end); checks its ids and that all of it can be decoded later. */
export function readSpanFacts(bytes: Buffer, start: number, end: number): FactsResult<SpanFacts> {
  const problem = checkShape(SPAN_SHAPE, bytes, start, end);
  if (problem !== undefined) return { ok: false, problem };
  let [traceStart, traceEnd, idStart, idEnd, parentStart, parentEnd] = [0, 0, 0, 0, 0, 0];
  let [startTimeUnixNano, endTimeUnixNano] = [0n, 0n];
  const walker = createWireWalker(bytes, start, end);
  while (nextField(walker)) {
    if (isField(walker, 1, WIRE_BYTES)) [traceStart, traceEnd] = [walker.valueStart, walker.valueEnd];
    else if (isField(walker, 2, WIRE_BYTES)) [idStart, idEnd] = [walker.valueStart, walker.valueEnd];
    else if (isField(walker, 4, WIRE_BYTES)) [parentStart, parentEnd] = [walker.valueStart, walker.valueEnd];
    else if (isField(walker, 7, WIRE_FIXED64)) startTimeUnixNano = readFixed64(walker);
    else if (isField(walker, 8, WIRE_FIXED64)) endTimeUnixNano = readFixed64(walker);
  }
  const wrong =
    findWrongIdentifier(TRACE_ID, bytes, traceStart, traceEnd, start) ??
    findWrongIdentifier(SPAN_ID, bytes, idStart, idEnd, start) ??
    findWrongIdentifier(PARENT_SPAN_ID, bytes, parentStart, parentEnd, start);
  if (wrong !== undefined) return { ok: false, problem: wrong };
  const traceId = identifierText(bytes, traceStart, traceEnd);
  const spanId = identifierText(bytes, idStart, idEnd);
  return { ok: true, facts: { traceId, spanId, startTimeUnixNano, endTimeUnixNano } };
}

/** Reads the index fields of the log record at bytes[start, end). */
export function readLogFacts(bytes: Buffer, start: number, end: number): FactsResult<LogFacts> {
  const problem = checkShape(LOG_RECORD_SHAPE, bytes, start, end);
  if (problem !== undefined) return { ok: false, problem };
  let [traceStart, traceEnd, idStart, idEnd] = [0, 0, 0, 0];
  let [time, observed] = [0n, 0n];
  const walker = createWireWalker(bytes, start, end);
  while (nextField(walker)) {
    if (isField(walker, 1, WIRE_FIXED64)) time = readFixed64(walker);
    else if (isField(walker, 9, WIRE_BYTES)) [traceStart, traceEnd] = [walker.valueStart, walker.valueEnd];
    else if (isField(walker, 10, WIRE_BYTES)) [idStart, idEnd] = [walker.valueStart, walker.valueEnd];
    else if (isField(walker, 11, WIRE_FIXED64)) observed = readFixed64(walker);
  }
  const wrong =
    findWrongIdentifier(LOG_TRACE_ID, bytes, traceStart, traceEnd, start) ??
    findWrongIdentifier(LOG_SPAN_ID, bytes, idStart, idEnd, start);
  if (wrong !== undefined) return { ok: false, problem: wrong };
  const traceId = identifierText(bytes, traceStart, traceEnd);
  const spanId = identifierText(bytes, idStart, idEnd);
  return { ok: true, facts: { traceId, spanId, timeUnixNano: time === 0n ? observed : time } };
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
