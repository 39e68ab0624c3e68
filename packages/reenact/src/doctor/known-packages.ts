/** Packages that hold the state all OpenTelemetry users of a process meet in. */
export const API_PACKAGES: ReadonlySet<string> = new Set(['@opentelemetry/api', '@opentelemetry/api-logs']);
