import { ANY_VALUE_DEPTH_MAX } from './limits.ts';
import type { OtlpProblem } from './problem.ts';
import { createWireWalker, nextField, WIRE_BYTES } from './wire-walker.ts';

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

/**
 * Checks that bytes[start, end) is a well-formed message of this shape all the way down, so that what was accepted can
 * be decoded later. Nothing is decoded; undefined means it is.
 */
export function checkShape(
  shape: MessageShape,
  bytes: Uint8Array,
  start = 0,
  end = bytes.length,
  depth = 0,
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
    const problem = checkShape(inner, bytes, walker.valueStart, walker.valueEnd, innerDepth);
    if (problem !== undefined) return problem;
  }
  return walker.problem;
}
