import { channel } from 'node:diagnostics_channel';
import type { PropagatedHeader } from '@reenact/instrumentation';

const requestsCreated = channel('undici:request:create');

/** Whoever watches undici's requests tells their trace context there; two of them would be none. */
export function untoldHeaders(headers: readonly PropagatedHeader[]): readonly PropagatedHeader[] {
  return requestsCreated.hasSubscribers ? headers.filter(([name]) => name === 'baggage') : headers;
}
