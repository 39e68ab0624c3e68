export { fromMap, fromPlain, type PlainValue, toMap } from './attributes.ts';
export { decodeTracesJsonBytes } from './decode-traces-bytes.ts';
export { checkMetricsProtobuf, walkLogsProtobuf, walkTracesProtobuf } from './export-request-walker.ts';
export { type WritableItem, writeExportRequest } from './export-request-writer.ts';
export {
  decodeExportResponse,
  decodeRpcStatus,
  type ExportOutcome,
  type ExportSignal,
  encodeExportResponse,
  encodeExportResponseJson,
  encodeRpcStatus,
  encodeRpcStatusJson,
  type RpcStatus,
} from './export-response.ts';
export {
  decodeLogRecordJson,
  decodeLogsJson,
  decodeResourceJson,
  decodeScopeJson,
  decodeSpanJson,
  decodeTracesJson,
  encodeLogsJson,
  encodeTracesJson,
  type JsonDecoded,
  type JsonMessage,
} from './json-codec.ts';
export {
  checkMetricsJsonInSteps,
  type Steps,
  walkLogsJson,
  walkLogsJsonInSteps,
  walkTracesJson,
  walkTracesJsonInSteps,
} from './json-request-walker.ts';
export { type ConvertedMetrics, metricsToProtobuf } from './metrics-to-protobuf.ts';
export { outlineSpanBytes } from './outline-span.ts';
export {
  describeRejections,
  type ItemProblem,
  type OtlpProblem,
  type OtlpProblemCode,
  type Rejections,
} from './problem.ts';
export { OTLP_PROTO_FILES } from './proto-files.ts';
export {
  type Decoded,
  decodeLogRecord,
  decodeResource,
  decodeScope,
  decodeSpan,
  decodeTracesProtobuf,
  encodeLogRecord,
  encodeLogsProtobuf,
  encodeResource,
  encodeScope,
  encodeSpan,
  encodeTracesProtobuf,
} from './protobuf-codec.ts';
export type {
  GroupSlice,
  LogFacts,
  LogSlice,
  SlicedLogs,
  SlicedTraces,
  SliceFormat,
  SpanFacts,
  SpanSlice,
  UnknownFields,
} from './slice.ts';
export type {
  AnyValue,
  InstrumentationScope,
  KeyValue,
  LogRecord,
  LogsData,
  Resource,
  ResourceLogs,
  ResourceSpans,
  ScopeLogs,
  ScopeSpans,
  Span,
  SpanEvent,
  SpanLink,
  SpanStatus,
  TracesData,
} from './span.ts';
export { attributesPresent, dropAttributes, readAttribute } from './span-attributes.ts';
