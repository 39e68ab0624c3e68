import protobuf, { type Type } from 'protobufjs/light.js';
import { OTLP_DESCRIPTOR } from './proto-descriptor.ts';

const root = protobuf.Root.fromJSON(OTLP_DESCRIPTOR).resolveAll();

/** Members whose bytes are written as hex in OTLP/JSON; all other bytes are base64. */
export const HEX_MEMBERS: ReadonlySet<string> = new Set(['traceId', 'spanId', 'parentSpanId']);

/** Field types that OTLP/JSON writes as decimal strings. */
export const LONG_TYPES: ReadonlySet<string> = new Set(['int64', 'sfixed64', 'fixed64', 'uint64']);

/** Members that the OTLP/JSON shape always has, with what stands for "not sent". */
export const REQUIRED_MEMBERS: { readonly [message: string]: readonly (readonly [string, () => unknown])[] } = {
  ArrayValue: [['values', () => []]],
  InstrumentationScope: [['name', () => '']],
  KeyValue: [
    ['key', () => ''],
    ['value', () => ({})],
  ],
  KeyValueList: [['values', () => []]],
  LogsData: [['resourceLogs', () => []]],
  Resource: [['attributes', () => []]],
  ResourceLogs: [['scopeLogs', () => []]],
  ResourceSpans: [['scopeSpans', () => []]],
  ScopeLogs: [['logRecords', () => []]],
  ScopeSpans: [['spans', () => []]],
  Span: [
    ['traceId', () => ''],
    ['spanId', () => ''],
    ['name', () => ''],
    ['startTimeUnixNano', () => '0'],
    ['endTimeUnixNano', () => '0'],
  ],
  SpanEvent: [
    ['timeUnixNano', () => '0'],
    ['name', () => ''],
  ],
  SpanLink: [
    ['traceId', () => ''],
    ['spanId', () => ''],
  ],
  TracesData: [['resourceSpans', () => []]],
};

/** Whether one more of these messages inside each other counts as one more level of an attribute value. */
export function isNesting(message: string): boolean {
  return message === 'ArrayValue' || message === 'KeyValueList';
}

const types = new Map<string, Type>();

/** Looks up a message of the OTLP descriptor by its name there. */
export function messageType(name: string): Type {
  const known = types.get(name);
  if (known !== undefined) return known;
  const type = root.lookupType(name);
  types.set(name, type);
  return type;
}
