import type { ContextManager, TextMapPropagator } from '@opentelemetry/api';

/** Where copies of OpenTelemetry's API find what was set up for all of them. */
const API = Symbol.for('opentelemetry.js.api.1');

/** What was set up for all copies of OpenTelemetry's API. */
export interface RegisteredApi {
  /** Of the copy that came first. A later one does not find it. */
  readonly version?: string;
  context?: ContextManager;
  propagation?: TextMapPropagator;
}

type Holder = typeof globalThis & { [API]?: RegisteredApi };

/** What is set up below this global object; undefined where nothing is yet. */
export function registeredApi(holder: typeof globalThis): RegisteredApi | undefined {
  return (holder as Holder)[API];
}
