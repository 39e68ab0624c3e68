import type { Exchange } from '@reenact/trace-model';
import { modelAnswerView, modelRequestView } from '../models/model-view.ts';

/** A request to a model and how it was answered. */
export interface AnsweredRequest {
  /** Below `http://models.example`, or a whole address. */
  readonly path: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly sent?: object | string;
}

/** A request that was answered so, as it is recorded; its body comes in pieces that mean nothing. */
function exchangeOf({ path, body, headers = {} }: AnsweredRequest): Exchange {
  const bytes = Buffer.from(body);
  const pieces = [bytes.subarray(0, 5), bytes.subarray(5)];
  return {
    layer: 'http',
    attempt: 0,
    startedAtUnixNano: '1',
    request: { method: 'POST', url: new URL(path, 'http://models.example').href, headers: [] },
    response: {
      status: 200,
      statusText: 'OK',
      url: '',
      headers: Object.entries(headers),
      headersAfterUs: 1,
      chunks: pieces.map((piece) => [2, { base64: piece.toString('base64') }]),
      end: 'complete',
      endAfterUs: 3,
      hasBody: true,
    },
  };
}

/** What such a request and its answer tell of the model, put together. */
export function toldOfModel(answered: AnsweredRequest): object {
  const { sent } = answered;
  const exchange = exchangeOf(answered);
  const { method, url } = exchange.request;
  const text = typeof sent === 'string' ? sent : JSON.stringify(sent);
  const asked = modelRequestView({ method, url: new URL(url) }, sent === undefined ? undefined : { text });
  const told = { ...asked, ...modelAnswerView(exchange) };
  return Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined));
}
