import {
  definedAttributes,
  type ExchangeEnd,
  type OpenCrossing,
  type SemconvView,
  settleWithExchange,
} from '@reenact/instrumentation';
import { ATTR_ERROR_TYPE, ATTR_HTTP_RESPONSE_STATUS_CODE } from '@reenact/semconv/core';
import type { Exchange } from '@reenact/trace-model';
import { modelAnswerView } from '../models/model-view.ts';

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
  settleWithExchange(crossing, exchange, end);
}
