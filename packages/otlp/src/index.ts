export { fromMap, fromPlain, type PlainValue, toMap, toPlain } from './attributes.ts';
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
