import { hash } from 'node:crypto';

/** `sha256:<hex>;<bytes>` of a text's UTF-8 bytes, or of bytes: detects truncation as well as change. */
export function digestOf(data: string | Uint8Array): string {
  const sizeBytes = typeof data === 'string' ? Buffer.byteLength(data, 'utf8') : data.byteLength;
  return `sha256:${hash('sha256', data, 'hex')};${sizeBytes}`;
}

/** The bytes a digest says its payload has, or undefined where it is not a digest of ours. */
export function digestBytes(digest: string): number | undefined {
  const match = /^sha256:[0-9a-f]{64};(\d+)$/.exec(digest);
  return match?.[1] === undefined ? undefined : Number(match[1]);
}
