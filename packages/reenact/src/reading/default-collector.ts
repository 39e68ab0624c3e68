import type { ReenactError } from '@reenact/trace-model';

/** Where recordings come from when nothing else is said. */
export const DEFAULT_COLLECTOR_URL = 'http://127.0.0.1:4318';

/**
 * What else to do where nothing answers at the default address, and this shell sends its spans to another: what sends and what reads take
 * their address from different variables. Undefined everywhere else.
 */
export function elsewhereHint({ code, where }: ReenactError, environment: NodeJS.ProcessEnv): string | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: sentTo = '', REENACT_COLLECTOR: readFrom } = environment;
  if (code !== 'collector-unreachable' || where !== DEFAULT_COLLECTOR_URL || readFrom !== undefined) return undefined;
  const address = URL.parse(sentTo);
  if (address === null || !/^https?:$/.test(address.protocol) || address.username !== '') return undefined;
  if (address.origin === DEFAULT_COLLECTOR_URL) return undefined;
  return `Spans of this shell are sent to ${address.origin} (OTEL_EXPORTER_OTLP_ENDPOINT). To read from there: --collector ${address.origin}, or REENACT_COLLECTOR=${address.origin}.`;
}
