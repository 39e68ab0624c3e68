import type { ExportSignal } from '@reenact/otlp';

/** Paths of OTLP/HTTP and the signal each takes. */
export const SIGNAL_PATHS: ReadonlyMap<string, ExportSignal> = new Map([
  ['/v1/traces', 'traces'],
  ['/v1/logs', 'logs'],
  ['/v1/metrics', 'metrics'],
]);

/** Content types and the encoding each names. */
export const CONTENT_TYPES = {
  protobuf: 'application/x-protobuf',
  json: 'application/json',
} as const;

/** Content encodings that are taken. */
export const CONTENT_ENCODINGS = ['gzip', 'zstd', 'identity'] as const;

/** One of the content encodings that are taken. */
export type ContentEncoding = (typeof CONTENT_ENCODINGS)[number];
