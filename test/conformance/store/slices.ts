import {
  encodeLogsProtobuf,
  encodeTracesProtobuf,
  type LogRecord,
  type LogSlice,
  type Span,
  type SpanSlice,
  walkLogsProtobuf,
  walkTracesProtobuf,
} from '@reenact/otlp';
import { expect } from 'vitest';
import { wrapSpans } from '../testbed.ts';

/** Spans as a receiver hands them to a store. */
export function sliceSpans(...spans: Span[]): readonly SpanSlice[] {
  const walked = walkTracesProtobuf(encodeTracesProtobuf(wrapSpans(spans)));
  if (!walked.ok) expect.fail(walked.problem.message);
  expect(walked.rejected.count).toBe(0);
  return walked.spans;
}

/** Log records as a receiver hands them to a store. */
export function sliceLogs(...logRecords: LogRecord[]): readonly LogSlice[] {
  const data = { resourceLogs: [{ resource: { attributes: [] }, scopeLogs: [{ logRecords }] }] };
  const walked = walkLogsProtobuf(encodeLogsProtobuf(data));
  if (!walked.ok) expect.fail(walked.problem.message);
  expect(walked.rejected.count).toBe(0);
  return walked.records;
}
