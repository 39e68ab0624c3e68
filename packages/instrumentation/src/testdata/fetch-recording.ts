import type { Exchange } from '@reenact/trace-model';
import { type FetchAttempt, FetchExchangeRecorder, type FetchServeOptions } from '../index.ts';

/** One fetch under way with its recorder. */
export interface FetchRecording {
  readonly recorder: FetchExchangeRecorder;
  /** The response as the host gets it. */
  readonly response: Promise<Response>;
  /** The exchange, when it is over, after a trip through JSON. */
  readonly exchange: Promise<Exchange>;
}

/** Fetches with the platform's fetch, recorded. */
export function recordedFetch(url: string, init: RequestInit = {}, fetchFunction = fetch): FetchRecording {
  const { promise, resolve } = Promise.withResolvers<Exchange>();
  const attempt: FetchAttempt = {
    attempt: 0,
    method: init.method ?? 'GET',
    url,
    headers: new Headers(init.headers),
    body: init.body,
    inputText: undefined,
    signal: init.signal ?? undefined,
  };
  const recorder = new FetchExchangeRecorder(attempt, (exchange) => resolve(JSON.parse(JSON.stringify(exchange))));
  const response = fetchFunction(url, init).then(
    (answer) => recorder.responded(answer),
    (error: unknown) => {
      recorder.failed(error);
      throw error;
    },
  );
  return { recorder, response, exchange: promise };
}

/** Serves at once. */
export const servedAtOnce: FetchServeOptions = {
  release: { at: async () => undefined, settle: async () => undefined },
  startedAfterUs: 0,
  isLast: true,
  wasAborted: false,
  signal: undefined,
};
