import { ANY_VALUE_DEPTH_MAX } from './limits.ts';
import type { OtlpProblem } from './problem.ts';
import { createWireWalker, nextField, WIRE_BYTES, WIRE_FIXED32, WIRE_FIXED64, WIRE_VARINT } from './wire-walker.ts';

/** Which fields of a message hold messages, by field number. Other fields are stepped over. */
export interface MessageShape {
  readonly messages: { readonly [fieldNumber: number]: () => MessageShape };
  /** Whether one more of these inside each other counts as one more level of an attribute value. */
  readonly isNesting?: boolean;
}

const KEY_VALUE: MessageShape = { messages: { 2: () => ANY_VALUE } };
const ARRAY_VALUE: MessageShape = { messages: { 1: () => ANY_VALUE }, isNesting: true };
const KEY_VALUE_LIST: MessageShape = { messages: { 1: () => KEY_VALUE }, isNesting: true };
const ANY_VALUE: MessageShape = { messages: { 5: () => ARRAY_VALUE, 6: () => KEY_VALUE_LIST } };
const ENTITY_REFERENCE: MessageShape = { messages: {} };
const SPAN_EVENT: MessageShape = { messages: { 3: () => KEY_VALUE } };
const SPAN_LINK: MessageShape = { messages: { 4: () => KEY_VALUE } };
const SPAN_STATUS: MessageShape = { messages: {} };

/** opentelemetry.proto.resource.v1.Resource */
export const RESOURCE_SHAPE: MessageShape = { messages: { 1: () => KEY_VALUE, 3: () => ENTITY_REFERENCE } };
/** opentelemetry.proto.common.v1.InstrumentationScope */
export const SCOPE_SHAPE: MessageShape = { messages: { 3: () => KEY_VALUE } };
/** opentelemetry.proto.trace.v1.Span */
export const SPAN_SHAPE: MessageShape = {
  messages: { 9: () => KEY_VALUE, 11: () => SPAN_EVENT, 13: () => SPAN_LINK, 15: () => SPAN_STATUS },
};
/** opentelemetry.proto.logs.v1.LogRecord */
export const LOG_RECORD_SHAPE: MessageShape = { messages: { 5: () => ANY_VALUE, 6: () => KEY_VALUE } };

const EXEMPLAR: MessageShape = { messages: { 7: () => KEY_VALUE } };
const NO_MESSAGES: MessageShape = { messages: {} };
const NUMBER_POINT: MessageShape = { messages: { 5: () => EXEMPLAR, 7: () => KEY_VALUE } };
const HISTOGRAM_POINT: MessageShape = { messages: { 8: () => EXEMPLAR, 9: () => KEY_VALUE } };
const EXPONENTIAL_POINT: MessageShape = {
  messages: { 1: () => KEY_VALUE, 8: () => NO_MESSAGES, 9: () => NO_MESSAGES, 11: () => EXEMPLAR },
};
const SUMMARY_POINT: MessageShape = { messages: { 6: () => NO_MESSAGES, 7: () => KEY_VALUE } };

function pointsOf(point: MessageShape): MessageShape {
  return { messages: { 1: () => point } };
}

const NUMBERS = pointsOf(NUMBER_POINT);
const HISTOGRAM = pointsOf(HISTOGRAM_POINT);
const EXPONENTIAL_HISTOGRAM = pointsOf(EXPONENTIAL_POINT);
const SUMMARY = pointsOf(SUMMARY_POINT);

/** opentelemetry.proto.metrics.v1.Metric */
export const METRIC_SHAPE: MessageShape = {
  messages: {
    5: () => NUMBERS,
    7: () => NUMBERS,
    9: () => HISTOGRAM,
    10: () => EXPONENTIAL_HISTOGRAM,
    11: () => SUMMARY,
    12: () => KEY_VALUE,
  },
};

/** Most bytes of a length or number that are read here: what is longer is left to the walker. */
const SHORT_VARINT_BYTES_MAX = 4;

/**
 * Whether these bytes are certainly of this shape; false says nothing. Nearly every message needs no more than this, which
 * makes nothing on the heap: no groups, no field beyond 2047, no varint longer than what is written in four bytes.
 */
function hasUsualShape(shape: MessageShape, bytes: Uint8Array, start: number, end: number, depth: number): boolean {
  if (depth > ANY_VALUE_DEPTH_MAX || end > bytes.length) return false;
  let at = start;
  while (at < end) {
    let tag = bytes[at++] as number;
    if (tag > 0x7f) {
      const next = at < end ? (bytes[at++] as number) : 0;
      if (next === 0 || next > 0x7f) return false;
      tag = (tag & 0x7f) | (next << 7);
    }
    if (tag < 8) return false;
    const wireType = tag & 7;
    if (wireType === WIRE_FIXED64) at += 8;
    else if (wireType === WIRE_FIXED32) at += 4;
    else if (wireType === WIRE_BYTES || wireType === WIRE_VARINT) {
      let value = 0;
      let shift = 0;
      for (let byte = 0x80; byte > 0x7f; shift += 7) {
        if (at >= end || shift >= 7 * SHORT_VARINT_BYTES_MAX) return false;
        byte = bytes[at++] as number;
        value |= (byte & 0x7f) << shift;
      }
      if (wireType === WIRE_VARINT) continue;
      const nested = shape.messages[tag >>> 3];
      if (nested !== undefined) {
        const inner = nested();
        const innerDepth = inner.isNesting === true ? depth + 1 : depth;
        if (at + value > end || !hasUsualShape(inner, bytes, at, at + value, innerDepth)) return false;
      }
      at += value;
    } else return false;
  }
  return at === end;
}

/**
 * Checks that bytes[start, end) is a well-formed message of this shape all the way down, so that what was accepted can
 * be decoded later. Nothing is decoded; undefined means it is.
 */
export function checkShape(
  shape: MessageShape,
  bytes: Uint8Array,
  start = 0,
  end = bytes.length,
): OtlpProblem | undefined {
  // Asked once for all levels: asked for each, odd bytes at the bottom of deep messages would be looked at once a level.
  return hasUsualShape(shape, bytes, start, end, 0) ? undefined : findProblem(shape, bytes, start, end, 0);
}

function findProblem(
  shape: MessageShape,
  bytes: Uint8Array,
  start: number,
  end: number,
  depth: number,
): OtlpProblem | undefined {
  if (depth > ANY_VALUE_DEPTH_MAX) {
    const message = `an attribute value nests deeper than ${ANY_VALUE_DEPTH_MAX} levels (byte ${start})`;
    return { code: 'too-deep', message, offset: start };
  }
  const walker = createWireWalker(bytes, start, end);
  while (nextField(walker)) {
    const nested = walker.wireType === WIRE_BYTES ? shape.messages[walker.fieldNumber] : undefined;
    if (nested === undefined) continue;
    const inner = nested();
    const innerDepth = inner.isNesting === true ? depth + 1 : depth;
    const problem = findProblem(inner, bytes, walker.valueStart, walker.valueEnd, innerDepth);
    if (problem !== undefined) return problem;
  }
  return walker.problem;
}
