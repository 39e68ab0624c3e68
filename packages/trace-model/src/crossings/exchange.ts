import { isUtf8 } from 'node:buffer';
import type { z } from 'zod';
import type { exchangeSchema } from '../exchange-schema.ts';
import { ESCAPED_CHUNK_BYTES_MIN } from '../limits.ts';

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

/** Whether JSON writes a byte as six characters, and one text within another as seven. */
function isEscapedLong(byte: number): boolean {
  return byte < 0x20 && (byte < 0x08 || byte === 0x0b || byte > 0x0d);
}

/**
 * Whether bytes are kept as text: whole valid UTF-8, and where there are many of them not above a quarter of control characters, as which they would take more
 * than base64 does. No text has so many, also not one with colours for a terminal.
 */
export function isKeptAsText(bytes: Uint8Array, escapedBytesMin = ESCAPED_CHUNK_BYTES_MIN): boolean {
  if (!isUtf8(bytes)) return false;
  if (bytes.byteLength < escapedBytesMin) return true;
  let escaped = 0;
  for (const byte of bytes) if (isEscapedLong(byte)) escaped += 1;
  return escaped * 4 <= bytes.byteLength;
}

/** A chunk's recorded form: text where the bytes are one, else base64, so that nothing is lost. */
export function toChunk(offsetUs: number, bytes: Uint8Array): ExchangeChunk {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return [offsetUs, isKeptAsText(buffer) ? buffer.toString('utf8') : { base64: buffer.toString('base64') }];
}
