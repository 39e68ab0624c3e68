import { createHash } from 'node:crypto';

/** `sha256:<hex>;<bytes>` of a text's UTF-8 bytes, or of bytes: detects truncation as well as change. */
export function digestOf(data: string | Uint8Array): string {
  const bytes = typeof data === 'string' ? Buffer.from(data, 'utf8') : data;
  return `sha256:${createHash('sha256').update(bytes).digest('hex')};${bytes.byteLength}`;
}

/** The bytes a digest says its payload has, or undefined where it is not a digest of ours. */
export function digestBytes(digest: string): number | undefined {
  const match = /^sha256:[0-9a-f]{64};(\d+)$/.exec(digest);
  return match?.[1] === undefined ? undefined : Number(match[1]);
}
