import { normaliseJson } from './json-codec.ts';
import { parseJsonExact } from './json-text.ts';
import type { OtlpProblem } from './problem.ts';
import { encodeMessage } from './protobuf-codec.ts';

/** A metrics request in protobuf, or why its JSON is not one. */
export type ConvertedMetrics =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly problem: OtlpProblem };

/** Writes an OTLP/JSON metrics request as protobuf. Members that OTLP does not define are left out. */
export function metricsToProtobuf(json: Uint8Array): ConvertedMetrics {
  const text = Buffer.from(json.buffer, json.byteOffset, json.length)
    .toString('utf8')
    .replace(/^\ufeff/, '');
  const parsed = parseJsonExact(text);
  if (!parsed.ok) return { ok: false, problem: { code: 'bad-json', message: parsed.reason, offset: 0 } };
  const read = normaliseJson<object>('MetricsData', parsed.value);
  return read.ok ? { ok: true, bytes: encodeMessage('MetricsData', read.value) } : read;
}
