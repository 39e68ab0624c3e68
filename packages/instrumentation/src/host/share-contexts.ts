import { processGlobal } from '@reenact/trace-model';

/** Where copies of OpenTelemetry's API find what was set up for all of them. */
const API = Symbol.for('opentelemetry.js.api.1');

type Holder = typeof globalThis & { [API]?: { context?: unknown; propagation?: unknown; version?: string } };

/**
 * Lets the copy of OpenTelemetry's API in a context of `node:vm` find the contexts of the process, in which the runs of the process stand, where
 * nobody has set up others there. Its tracers are left alone: a test may set up its own.
 */
export function shareContexts(): void {
  const outer = (processGlobal() as Holder)[API];
  const inner = globalThis as Holder;
  if (outer === undefined || outer === inner[API]) return;
  const { version, context, propagation } = outer;
  inner[API] = { version, context, propagation, ...inner[API] } as NonNullable<Holder[typeof API]>;
}
