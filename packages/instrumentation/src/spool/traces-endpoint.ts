/** Where the standard variables send traces over OTLP/HTTP (OpenTelemetry specification, "OTLP exporter"). */
export function tracesEndpoint(environment: NodeJS.ProcessEnv): string {
  const own = environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  if (own !== undefined && own !== '') return own;
  const base = environment.OTEL_EXPORTER_OTLP_ENDPOINT;
  return `${(base === undefined || base === '' ? 'http://localhost:4318' : base).replace(/\/+$/, '')}/v1/traces`;
}
