import { type BodyTape, recordedHeaders } from '@reenact/instrumentation';
import type { ExchangeResponse } from '@reenact/trace-model';

/** What is known of a response when its headers have come. */
export type ResponseHead = Omit<ExchangeResponse, 'chunks' | 'end' | 'endAfterUs'>;

/** What came behind the headers of a response, until now. */
export interface ResponseRest {
  readonly body: Pick<BodyTape, 'chunks' | 'cut'>;
  readonly trailers: readonly [string, string][];
  readonly end: ExchangeResponse['end'];
  readonly endAfterUs: number;
  /** How the host stands to a body that has not come to its end; undefined where that is not known. */
  readonly reader: ExchangeResponse['reader'];
}

/** The response half of an exchange. One whose body was too long to keep is open, because it cannot be served to its end. */
export function recordedResponse(
  head: ResponseHead,
  { body, trailers, end, endAfterUs, reader }: ResponseRest,
): ExchangeResponse {
  const { chunks, cut } = body;
  return {
    ...head,
    chunks: [...chunks],
    end: cut === undefined ? end : 'open',
    endAfterUs,
    ...(reader === undefined || cut !== undefined || end === 'complete' || end === 'failed' ? {} : { reader }),
    ...(trailers.length === 0 ? {} : { trailers: recordedHeaders(trailers) }),
    ...(cut === undefined ? {} : { cut }),
  };
}
