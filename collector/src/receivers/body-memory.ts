import { BODY_MEMORY_BYTES_MAX, POOLED_BODY_BYTES_MAX, POOLED_BODY_BYTES_MIN } from '../limits.ts';

/**
 * Memory for request bodies that is used again. V8 collects garbage whenever much memory outside its heap was allocated,
 * and a new buffer per body made it do that many times a second.
 */
export class BodyMemory {
  private readonly free = new Map<number, Buffer[]>();
  private bytes = 0;

  /** Memory of this length; its content is whatever was in it before. */
  take(length: number): Buffer {
    if (length > POOLED_BODY_BYTES_MAX) return Buffer.allocUnsafeSlow(length);
    const size = sizeFor(length);
    const known = this.free.get(size)?.pop();
    if (known === undefined) return Buffer.allocUnsafeSlow(size).subarray(0, length);
    this.bytes -= size;
    return known.subarray(0, length);
  }

  /** Gives memory back that `take` gave and that nobody uses any more. */
  give(body: Buffer): void {
    const size = body.buffer.byteLength;
    if (size > POOLED_BODY_BYTES_MAX || size !== sizeFor(size) || this.bytes + size > BODY_MEMORY_BYTES_MAX) return;
    const same = this.free.get(size) ?? [];
    same.push(Buffer.from(body.buffer));
    this.free.set(size, same);
    this.bytes += size;
  }
}

/** The next power of two. */
function sizeFor(length: number): number {
  return Math.max(POOLED_BODY_BYTES_MIN, 2 ** Math.ceil(Math.log2(Math.max(length, 1))));
}
