import { createHash, type Hash } from 'node:crypto';
import { chunkBytes, type ExchangeChunk, type ExchangeResponse, toChunk } from '@reenact/trace-model';
import { EXCHANGE_BODY_BYTES_MAX } from '../limits.ts';

/**
 * The bytes of one body as they pass by. Up to EXCHANGE_BODY_BYTES_MAX they are kept in their chunks; a longer body is only
 * counted and digested, and nothing of it is kept.
 */
export class BodyTape {
  private readonly bytesMax: number;
  private kept: ExchangeChunk[] = [];
  private bytes = 0;
  private digest: Hash | undefined;

  constructor(bytesMax: number = EXCHANGE_BODY_BYTES_MAX) {
    this.bytesMax = bytesMax;
  }

  /** One chunk, `offsetUs` microseconds after the request was sent. Its bytes are copied. */
  keep(bytes: Uint8Array, offsetUs: number): void {
    this.bytes += bytes.byteLength;
    if (this.digest === undefined && this.bytes > this.bytesMax) {
      this.digest = createHash('sha256');
      for (const chunk of this.kept) this.digest.update(chunkBytes(chunk));
      this.kept = [];
    }
    if (this.digest === undefined) this.kept.push(toChunk(offsetUs, bytes));
    else this.digest.update(bytes);
  }

  /** What was kept; empty once the body is longer than what is kept. */
  get chunks(): readonly ExchangeChunk[] {
    return this.kept;
  }

  /** Length and SHA-256 of all that passed, where it was too long to keep; undefined where it is kept. */
  get cut(): ExchangeResponse['cut'] {
    return this.digest === undefined ? undefined : { bytes: this.bytes, sha256: this.digest.copy().digest('hex') };
  }

  /** All bytes that were kept. */
  get whole(): Buffer {
    return Buffer.concat(this.kept.map(chunkBytes));
  }

  /** The end of the body, at least so many characters where there are so many; bytes that are no text are left out. */
  tail(charactersMin: number): string {
    let tail = '';
    for (let index = this.kept.length - 1; index >= 0 && tail.length < charactersMin; index -= 1) {
      const data = this.kept[index]?.[1];
      tail = (typeof data === 'string' ? data : '') + tail;
    }
    return tail;
  }
}
