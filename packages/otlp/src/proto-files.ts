const names = [
  'common.v1.common',
  'resource.v1.resource',
  'trace.v1.trace',
  'logs.v1.logs',
  'metrics.v1.metrics',
  'collector.trace.v1.trace_service',
  'collector.logs.v1.logs_service',
  'collector.metrics.v1.metrics_service',
] as const;

/**
 * The `.proto` files of OTLP as opentelemetry-proto publishes them, unchanged, named by their places there with dots for slashes. For
 * those who describe OTLP to others: what reads and writes it here has descriptions of its own.
 */
export const OTLP_PROTO_FILES: readonly URL[] = names.map(
  (name) => new URL(`../proto/opentelemetry.proto.${name}.proto`, import.meta.url),
);
