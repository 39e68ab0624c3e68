import { offPair } from '@reenact/trace-model/words';

/**
 * The first characters of a text, in memory of their own: what V8 cuts off a text keeps all of it in memory. A text that is not longer is
 * given as it is, and a pair of surrogates is not parted.
 */
export function copiedStart(text: string, characters: number): string {
  if (text.length <= characters) return text;
  // UTF-16 keeps what is half a pair of surrogates from the start.
  return Buffer.from(text.slice(0, offPair(text, characters)), 'utf16le').toString('utf16le');
}
