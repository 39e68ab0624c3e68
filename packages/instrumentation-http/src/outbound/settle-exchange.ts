import {
  definedAttributes,
  isWithheld,
  type OpenCrossing,
  type RawOutcome,
  type SemconvView,
} from '@reenact/instrumentation';
import { ATTR_ERROR_TYPE, ATTR_HTTP_RESPONSE_STATUS_CODE } from '@reenact/semconv/core';
import type { Exchange } from '@reenact/trace-model';
import { modelAnswerView } from '../models/model-view.ts';

/** How the request ended apart from what came over the wire. */
export interface ExchangeEnd {
  readonly error: unknown;
  /** The caller called it off before there was a response. */
  readonly wasAborted: boolean;
}

/** The bytes are in the exchange already, so the outcome carries none of them again. */
function outcomeOf({ response }: Exchange, { error, wasAborted }: ExchangeEnd): RawOutcome {
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

/** What an exchange says of its call. */
export function exchangeView(exchange: Exchange): SemconvView {
  const status = exchange.response?.status;
  return {
    slim: definedAttributes({
      [ATTR_HTTP_RESPONSE_STATUS_CODE]: status,
      [ATTR_ERROR_TYPE]: status !== undefined && status >= 400 ? String(status) : undefined,
      ...modelAnswerView(exchange),
    }),
  };
}

/** Ends the crossing of a request with the one exchange it was. */
export function settleExchange(crossing: OpenCrossing, exchange: Exchange, end: ExchangeEnd): void {
  crossing.describe(exchangeView(exchange));
  const cut = exchange.response?.cut;
  if (cut !== undefined) {
    crossing.markLossy(`/exchanges/0/response/chunks too-large: ${cut.bytes} bytes, sha256 ${cut.sha256}`);
  }
  const withheld = (exchange.response?.headers ?? []).filter(([, value]) => isWithheld(value)).map(([name]) => name);
  for (const name of new Set(withheld)) crossing.markLossy(`/exchanges/0/response/headers/${name} redacted`);
  crossing.addExchange(exchange);
  crossing.settle(outcomeOf(exchange, end));
}
