import type { CallSettings, RequestOptions, StainlessClient } from '@reenact/instrumentation';
import { gateCallOf } from '../gate-call.ts';

const settings: CallSettings = { capture: 'full', sdk: '@anthropic-ai/sdk@1.14.0' };

/** A client as far as a request is described by it. */
export function clientAt(baseURL: string, others: object = {}): StainlessClient {
  return { baseURL, ...others } as unknown as StainlessClient;
}

/** How a request to the messages API is described to the gate. */
export function described(body: object, client = clientAt('https://api.anthropic.com'), path = '/v1/messages') {
  const options: RequestOptions = { method: 'post', path, body };
  return gateCallOf(client, options, settings);
}
