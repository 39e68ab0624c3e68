/** What gRPC-Web is sent as where nothing but text can be: base64, several of it one behind the other. */
const webTextType = /\bgrpc-web-text\b/i;
const piece = /[A-Za-z0-9+/]+={0,2}/y;

/** Whether a content type is that of gRPC-Web in base64. */
export function isWebText(contentType: string): boolean {
  return webTextType.test(contentType);
}

/** Bytes that came as base64, and how many of them in each piece. */
export interface WebText {
  readonly bytes: Buffer;
  readonly lengths: readonly number[];
}

/** Takes base64 apart; undefined where a text is anything else. */
export function webTextOf(text: string): WebText | undefined {
  const pieces: Buffer[] = [];
  piece.lastIndex = 0;
  for (let at = 0; at < text.length; at = piece.lastIndex) {
    const [found] = piece.exec(text) ?? [];
    if (found === undefined) return undefined;
    pieces.push(Buffer.from(found, 'base64'));
  }
  return { bytes: Buffer.concat(pieces), lengths: pieces.map(({ length }) => length) };
}

/** These bytes as base64 in pieces of the same length, and what is more of them in one more. */
export function asWebText(bytes: Buffer, lengths: readonly number[]): string {
  let at = 0;
  const pieces = lengths.map((length) => {
    at += length;
    return bytes.subarray(at - length, at);
  });
  return [...pieces, bytes.subarray(at)].map((part) => part.toString('base64')).join('');
}
