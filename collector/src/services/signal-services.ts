import type { ExportSignal } from '@reenact/otlp';

/** Full method names of the OTLP/gRPC services and the signal each takes. */
export const SIGNAL_SERVICES: readonly { readonly path: string; readonly signal: ExportSignal }[] = [
  { path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export', signal: 'traces' },
  { path: '/opentelemetry.proto.collector.logs.v1.LogsService/Export', signal: 'logs' },
  { path: '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export', signal: 'metrics' },
];
