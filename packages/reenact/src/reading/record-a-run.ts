/** What to do where a collector has no run yet. */
export const RECORD_A_RUN =
  'Record one with: OTEL_EXPORTER_OTLP_ENDPOINT=<this collector> node --import reenact/register app.mjs';
