import { chunkBytes, type Exchange, exchangeText, isEventStream } from '@reenact/trace-model';
import type { RawOutcome } from '../gate/gate.ts';

/** Whether the response of an exchange streams events. */
export function isStreamed({ response }: Exchange): boolean {
  return response !== undefined && isEventStream(response.headers);
}

/**
 * How a crossing ended whose client call was answered with this response. The bytes are in the exchange already, so the
 * outcome carries none of them again.
 */
export function outcomeOfExchange(exchange: Exchange, error: unknown): RawOutcome {
  const streams = isStreamed(exchange);
  switch (exchange.response?.end) {
    case 'failed':
      return streams ? { type: 'failed', chunks: [], error } : { type: 'threw', error };
    case 'aborted':
      return { type: 'aborted', chunks: [] };
    case 'open':
      // The host has its response and never read it: the call itself came back.
      return streams ? { type: 'aborted', chunks: [] } : { type: 'returned', value: undefined };
    case 'complete':
    case undefined:
      return streams ? { type: 'ended', chunks: [] } : { type: 'returned', value: undefined };
  }
}

/** The body of an exchange's response as text, or undefined where it is none or longer than `charactersMax`. */
export function responseText({ response }: Exchange, charactersMax: number): string | undefined {
  if (response === undefined) return undefined;
  let characters = 0;
  for (const [, data] of response.chunks) characters += typeof data === 'string' ? data.length : data.base64.length;
  if (characters > charactersMax) return undefined;
  const texts: string[] = [];
  for (const [, data] of response.chunks) {
    // A character that two chunks share is whole only as bytes.
    if (typeof data !== 'string') return exchangeText(response.chunks.map(chunkBytes));
    texts.push(data);
  }
  return texts.join('');
}
