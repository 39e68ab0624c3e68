import type { Context } from '@opentelemetry/api';
import { positionBaggage } from '@reenact/instrumentation';

const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * The `baggage` header of a request that a replay sends for real: what the host gave, and the position the other process
 * is to look up at. Positions go to processes of this machine only; undefined where there is nothing to add.
 */
export function baggageWithPosition(url: URL, given: string | undefined, context: Context): string | undefined {
  const member = loopbackHosts.has(url.hostname) ? positionBaggage(context) : undefined;
  if (member === undefined) return undefined;
  return given === undefined || given === '' ? member : `${given},${member}`;
}
