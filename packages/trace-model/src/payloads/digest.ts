import { createHash, hash } from 'node:crypto';

/** `sha256:<hex>;<bytes>` of a text's UTF-8 bytes, or of bytes: detects truncation as well as change. */
export function digestOf(data: string | Uint8Array): string {
  const sizeBytes = typeof data === 'string' ? Buffer.byteLength(data, 'utf8') : data.byteLength;
  return `sha256:${hash('sha256', data, 'hex')};${sizeBytes}`;
}

/** The digest of a text that comes in pieces, as `digestOf` gives it of the whole; a pair of surrogates must not be cut. */
export class PiecewiseDigest {
  private readonly sum = createHash('sha256');
  private sizeBytes = 0;

  add(piece: string): void {
    this.sum.update(piece, 'utf8');
    this.sizeBytes += Buffer.byteLength(piece, 'utf8');
  }

  /** Of everything that was added; nothing can be added afterwards. */
  finish(): string {
    return `sha256:${this.sum.digest('hex')};${this.sizeBytes}`;
  }
}

/** `sha256:<hex>` of a text's UTF-8 bytes. */
export function hashOfText(text: string): string {
  return `sha256:${hash('sha256', text, 'hex')}`;
}

/** The `sha256:<hex>` that a digest begins with. */
export function hashOfDigest(digest: string): string {
  return digest.slice(0, digest.indexOf(';'));
}
