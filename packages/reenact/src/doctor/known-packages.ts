/** Packages that hold the state all OpenTelemetry users of a process meet in. */
export const API_PACKAGES: ReadonlySet<string> = new Set(['@opentelemetry/api', '@opentelemetry/api-logs']);

/** Packages of OpenTelemetry that are loaded to set a provider up. Frameworks load those of other names for what they only export by. */
export const SET_UP_PACKAGES: ReadonlySet<string> = new Set([
  '@opentelemetry/sdk-node',
  '@opentelemetry/sdk-trace-node',
  '@opentelemetry/sdk-trace-web',
]);
