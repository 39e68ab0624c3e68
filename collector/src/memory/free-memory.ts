/** Smaller pieces may share their memory with others, as those of the pool of Node.js do, and are left to the collection of garbage. */
const FREED_BYTES_MIN = 128 * 1024;

/**
 * Gives memory back at once that nobody uses any more, nor any view of it: what is left in such a view is empty. V8 lets each thread gather
 * some hundred megabytes of it before it looks for garbage.
 */
export function freeMemory({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= FREED_BYTES_MIN) buffer.transfer(0);
}

/** The same of a piece of any size that has its memory for itself, as what comes from a connection has. */
export function freeChunk(chunk: Buffer): void {
  const { buffer } = chunk;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === chunk.length) buffer.transfer(0);
}
