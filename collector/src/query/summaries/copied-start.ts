/**
 * The first characters of a text, in memory of their own: what V8 cuts off a text keeps all of it in memory. A text that is not longer is
 * given as it is.
 */
export function copiedStart(text: string, characters: number): string {
  if (text.length <= characters) return text;
  // UTF-16 keeps half a pair of surrogates as it is.
  return Buffer.from(text.slice(0, characters), 'utf16le').toString('utf16le');
}
