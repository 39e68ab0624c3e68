import type { INamespace } from 'protobufjs/light.js';
import { describeMessage, type FieldRow } from './describe-message.ts';
import { METRICS_DESCRIPTOR } from './metrics-descriptor.ts';

const ANY_VALUE_MEMBERS: Record<string, FieldRow> = {
  stringValue: ['string', 1],
  boolValue: ['bool', 2],
  intValue: ['int64', 3],
  doubleValue: ['double', 4],
  arrayValue: ['ArrayValue', 5],
  kvlistValue: ['KeyValueList', 6],
  bytesValue: ['bytes', 7],
};

const COMMON = {
  AnyValue: describeMessage(ANY_VALUE_MEMBERS, { value: { oneof: Object.keys(ANY_VALUE_MEMBERS) } }),
  ArrayValue: describeMessage({ values: ['AnyValue', 1, 'repeated'] }),
  KeyValueList: describeMessage({ values: ['KeyValue', 1, 'repeated'] }),
  KeyValue: describeMessage({ key: ['string', 1], value: ['AnyValue', 2] }),
  InstrumentationScope: describeMessage({
    name: ['string', 1],
    version: ['string', 2],
    attributes: ['KeyValue', 3, 'repeated'],
    droppedAttributesCount: ['uint32', 4],
  }),
  Resource: describeMessage({ attributes: ['KeyValue', 1, 'repeated'], droppedAttributesCount: ['uint32', 2] }),
};

const TRACE = {
  TracesData: describeMessage({ resourceSpans: ['ResourceSpans', 1, 'repeated'] }),
  ResourceSpans: describeMessage({
    resource: ['Resource', 1],
    scopeSpans: ['ScopeSpans', 2, 'repeated'],
    schemaUrl: ['string', 3],
  }),
  ScopeSpans: describeMessage({
    scope: ['InstrumentationScope', 1],
    spans: ['Span', 2, 'repeated'],
    schemaUrl: ['string', 3],
  }),
  Span: describeMessage({
    traceId: ['bytes', 1],
    spanId: ['bytes', 2],
    traceState: ['string', 3],
    parentSpanId: ['bytes', 4],
    flags: ['fixed32', 16],
    name: ['string', 5],
    kind: ['int32', 6],
    startTimeUnixNano: ['fixed64', 7],
    endTimeUnixNano: ['fixed64', 8],
    attributes: ['KeyValue', 9, 'repeated'],
    droppedAttributesCount: ['uint32', 10],
    events: ['SpanEvent', 11, 'repeated'],
    droppedEventsCount: ['uint32', 12],
    links: ['SpanLink', 13, 'repeated'],
    droppedLinksCount: ['uint32', 14],
    status: ['SpanStatus', 15],
  }),
  SpanEvent: describeMessage({
    timeUnixNano: ['fixed64', 1],
    name: ['string', 2],
    attributes: ['KeyValue', 3, 'repeated'],
    droppedAttributesCount: ['uint32', 4],
  }),
  SpanLink: describeMessage({
    traceId: ['bytes', 1],
    spanId: ['bytes', 2],
    traceState: ['string', 3],
    attributes: ['KeyValue', 4, 'repeated'],
    droppedAttributesCount: ['uint32', 5],
    flags: ['fixed32', 6],
  }),
  SpanStatus: describeMessage({ message: ['string', 2], code: ['int32', 3] }),
};

const LOGS = {
  LogsData: describeMessage({ resourceLogs: ['ResourceLogs', 1, 'repeated'] }),
  ResourceLogs: describeMessage({
    resource: ['Resource', 1],
    scopeLogs: ['ScopeLogs', 2, 'repeated'],
    schemaUrl: ['string', 3],
  }),
  ScopeLogs: describeMessage({
    scope: ['InstrumentationScope', 1],
    logRecords: ['LogRecord', 2, 'repeated'],
    schemaUrl: ['string', 3],
  }),
  LogRecord: describeMessage({
    timeUnixNano: ['fixed64', 1],
    observedTimeUnixNano: ['fixed64', 11],
    severityNumber: ['int32', 2],
    severityText: ['string', 3],
    body: ['AnyValue', 5],
    attributes: ['KeyValue', 6, 'repeated'],
    droppedAttributesCount: ['uint32', 7],
    flags: ['fixed32', 8],
    traceId: ['bytes', 9],
    spanId: ['bytes', 10],
    eventName: ['string', 12],
  }),
};

const RESPONSES = {
  PartialSuccess: describeMessage({ rejected: ['int64', 1], errorMessage: ['string', 2] }),
  ExportResponse: describeMessage({ partialSuccess: ['PartialSuccess', 1] }),
  RpcStatus: describeMessage({ code: ['int32', 1], message: ['string', 2], details: ['Any', 3, 'repeated'] }),
  Any: describeMessage({ typeUrl: ['string', 1], value: ['bytes', 2] }),
  RetryInfo: describeMessage({ retryDelay: ['Duration', 1] }),
  Duration: describeMessage({ seconds: ['int64', 1], nanos: ['int32', 2] }),
};

/**
 * The OTLP 1.x messages Reenact reads and writes, as a protobufjs descriptor. Enums are declared as int32 so that a
 * number this version does not know survives. Read as proto2, which is the same on the wire: protobufjs then does not
 * refuse invalid UTF-8, and keeps apart what was sent as a default and what was not sent.
 */
export const OTLP_DESCRIPTOR: INamespace = {
  nested: { ...COMMON, ...TRACE, ...LOGS, ...METRICS_DESCRIPTOR, ...RESPONSES },
};
