import { createRequire } from 'node:module';
import type * as transformer from '@opentelemetry/otlp-transformer';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type * as otlp from '@reenact/otlp';
import type * as reading from '@reenact/trace-model/reading';

const require = createRequire(import.meta.url);

/**
 * Spans as the text of a fixture file; undefined where there are none. Needed only by a process that could not hand over its last
 * spans, and nothing asynchronous happens in it any more: so what it takes is loaded here and now, not with the hook.
 */
export function fixtureOfSpans(spans: ReadableSpan[]): string | undefined {
  const { JsonTraceSerializer }: typeof transformer = require('@opentelemetry/otlp-transformer');
  const { decodeTracesJson }: typeof otlp = require('@reenact/otlp');
  const { writeFixture }: typeof reading = require('@reenact/trace-model/reading');
  const bytes = JsonTraceSerializer.serializeRequest(spans);
  const decoded = bytes === undefined ? undefined : decodeTracesJson(Buffer.from(bytes).toString('utf8'));
  return decoded?.ok === true && decoded.data.resourceSpans.length > 0 ? writeFixture(decoded.data) : undefined;
}
