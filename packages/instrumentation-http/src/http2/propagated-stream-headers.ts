import type { OutgoingHttpHeaders } from 'node:http2';
import type { Context } from '@opentelemetry/api';
import { propagatedHeaders } from '@reenact/instrumentation';

/** The headers of a request with what is to travel to its host: the trace context of its crossing, and in a replay the position. */
export function propagatedStreamHeaders(url: URL, headers: OutgoingHttpHeaders, context: Context): OutgoingHttpHeaders {
  const given = (name: string): string | undefined => (headers[name] === undefined ? undefined : String(headers[name]));
  const added = propagatedHeaders(url, given, context);
  return added.length === 0 ? headers : { ...headers, ...Object.fromEntries(added) };
}
