import { REUSED_BYTES_MAX, REUSED_PIECE_BYTES_MAX, REUSED_PIECE_BYTES_MIN } from '../limits.ts';
import { freeMemory } from './free-memory.ts';

/**
 * Memory for request bodies and log frames that is used again. V8 collects garbage whenever much memory outside its heap was
 * allocated, and a new buffer per request made it do that many times a second.
 */
export class ReusedMemory {
  private readonly free = new Map<number, ArrayBuffer[]>();
  private readonly bytesMax: number;
  private bytes = 0;

  /** `memoryShare`: which part of the usual number of bytes is kept. */
  constructor(memoryShare = 1) {
    this.bytesMax = REUSED_BYTES_MAX * memoryShare;
  }

  /** Memory of this length; its content is whatever was in it before. */
  take(length: number): Buffer<ArrayBuffer> {
    if (length > REUSED_PIECE_BYTES_MAX) return Buffer.allocUnsafeSlow(length);
    const size = sizeFor(length);
    const known = this.free.get(size)?.pop();
    if (known === undefined) return Buffer.allocUnsafeSlow(size).subarray(0, length);
    this.bytes -= size;
    return Buffer.from(known, 0, length);
  }

  /** Gives memory back that `take` gave and that nobody uses any more. */
  give(memory: ArrayBuffer): void {
    const size = memory.byteLength;
    if (size > REUSED_PIECE_BYTES_MAX || size !== sizeFor(size) || this.bytes + size > this.bytesMax) {
      freeMemory(new Uint8Array(memory));
      return;
    }
    const same = this.free.get(size) ?? [];
    same.push(memory);
    this.free.set(size, same);
    this.bytes += size;
  }
}

/** The next power of two. */
function sizeFor(length: number): number {
  return Math.max(REUSED_PIECE_BYTES_MIN, 2 ** Math.ceil(Math.log2(Math.max(length, 1))));
}
