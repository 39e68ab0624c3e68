import { isUtf8 } from 'node:buffer';
import type { z } from 'zod';
import type { exchangeSchema } from '../exchange-schema.ts';

/** One attempt on the wire. */
export type Exchange = z.infer<typeof exchangeSchema>;

/** The response half of an exchange. */
export type ExchangeResponse = NonNullable<Exchange['response']>;

/** One answer that came before the response. */
export type InterimAnswer = NonNullable<Exchange['interim']>[number];

/** One chunk of a response body: microseconds since the request was sent, and its text or bytes. */
export type ExchangeChunk = ExchangeResponse['chunks'][number];

/** A chunk's bytes from its recorded form. */
export function chunkBytes(chunk: ExchangeChunk): Uint8Array {
  const [, data] = chunk;
  return typeof data === 'string' ? Buffer.from(data, 'utf8') : Buffer.from(data.base64, 'base64');
}

/** A chunk's recorded form: text where the bytes are whole valid UTF-8, else base64, so that nothing is lost. */
export function toChunk(offsetUs: number, bytes: Uint8Array): ExchangeChunk {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return isUtf8(buffer) ? [offsetUs, buffer.toString('utf8')] : [offsetUs, { base64: buffer.toString('base64') }];
}
