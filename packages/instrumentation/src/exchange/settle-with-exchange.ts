import type { Exchange } from '@reenact/trace-model';
import type { OpenCrossing, RawOutcome } from '../gate/gate.ts';
import { isWithheld } from '../redaction/places/redact-headers.ts';
import { networkCookieStart } from '../redaction/rules/network-cookie.ts';

/** How a request ended apart from what came over the wire. */
export interface ExchangeEnd {
  readonly error: unknown;
  /** The caller called it off before there was a response. */
  readonly wasAborted: boolean;
}

/** The outcome of a crossing that is one exchange: the bytes are in that already, so the outcome carries none of them again. */
function outcomeOfExchange({ response }: Exchange, { error, wasAborted }: ExchangeEnd): RawOutcome {
  switch (response?.end) {
    case undefined:
      return wasAborted ? { type: 'aborted', chunks: [], error } : { type: 'threw', error };
    case 'failed':
      return { type: 'failed', chunks: [], error };
    case 'aborted':
      return { type: 'aborted', chunks: [] };
    case 'complete':
    case 'open':
      // Whoever has its response and never read it to the end was answered all the same.
      return { type: 'returned', value: undefined };
  }
}

/** Whether a program may read the value of a header of an answer. */
function isRead(name: string, value: string): boolean {
  return name.toLowerCase() !== 'set-cookie' || networkCookieStart(value) === undefined;
}

/** Ends a crossing with the one exchange that it was, and notes what of that could not be kept. */
export function settleWithExchange(crossing: OpenCrossing, exchange: Exchange, end: ExchangeEnd): void {
  const cut = exchange.response?.cut;
  if (cut !== undefined) {
    crossing.markLossy(`/exchanges/0/response/chunks too-large: ${cut.bytes} bytes, sha256 ${cut.sha256}`);
  }
  const headers = exchange.response?.headers ?? [];
  const withheld = headers.flatMap(([name, value]) => (isWithheld(value) && isRead(name, value) ? [name] : []));
  for (const name of new Set(withheld)) crossing.markLossy(`/exchanges/0/response/headers/${name} redacted`);
  crossing.addExchange(exchange);
  crossing.settle(outcomeOfExchange(exchange, end));
}
