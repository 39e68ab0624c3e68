import type { PlainValue } from './attributes.ts';
import type { OtlpProblem, Rejections } from './problem.ts';

/** How the bytes of a slice are encoded. */
export type SliceFormat = 'protobuf' | 'json';

/** Fields around a resource or scope that OTLP does not know, as received: protobuf fields, or one JSON object with these members; empty when none came. */
export interface UnknownFields {
  /** Of the ResourceSpans, ScopeSpans, ResourceLogs or ScopeLogs. */
  readonly group: Uint8Array;
  /** Of the request; only in the resource of the first item that was accepted, which is a slice of its own. */
  readonly request: Uint8Array;
}

/** The bytes of a resource or scope as received, empty when none was sent, and its schema URL. */
export interface GroupSlice {
  readonly bytes: Uint8Array;
  readonly schemaUrl: string;
  /** Absent when there were none. */
  readonly unknown?: UnknownFields;
}

/** The fields of a span that an index needs. Ids are lower-case hex. */
export interface SpanFacts {
  readonly traceId: string;
  readonly spanId: string;
  readonly startTimeUnixNano: bigint;
  readonly endTimeUnixNano: bigint;
}

/** One span of a request: its bytes exactly as received, what it belongs to, and its index fields. */
export interface SpanSlice {
  readonly format: SliceFormat;
  readonly bytes: Uint8Array;
  readonly resource: GroupSlice;
  readonly scope: GroupSlice;
  readonly facts: SpanFacts;
  /** The plain value of one attribute, read from the bytes without decoding the others; undefined when absent. */
  attribute(key: string): PlainValue | undefined;
  /** Which of these keys the span carries, without decoding any value. */
  attributesPresent(keys: readonly string[]): ReadonlySet<string>;
}

/** The fields of a log record that an index needs; ids are empty strings when the record has none. */
export interface LogFacts {
  readonly traceId: string;
  readonly spanId: string;
  readonly timeUnixNano: bigint;
}

/** One log record of a request: its bytes exactly as received, what it belongs to, and its index fields. */
export interface LogSlice {
  readonly format: SliceFormat;
  readonly bytes: Uint8Array;
  readonly resource: GroupSlice;
  readonly scope: GroupSlice;
  readonly facts: LogFacts;
}

/** A traces export request cut into spans; single bad spans are rejected, a malformed request is a problem. */
export type SlicedTraces =
  | { readonly ok: true; readonly spans: readonly SpanSlice[]; readonly rejected: Rejections }
  | { readonly ok: false; readonly problem: OtlpProblem };

/** A logs export request cut into records. */
export type SlicedLogs =
  | { readonly ok: true; readonly records: readonly LogSlice[]; readonly rejected: Rejections }
  | { readonly ok: false; readonly problem: OtlpProblem };
