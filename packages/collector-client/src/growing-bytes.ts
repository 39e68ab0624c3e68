const FIRST_BYTES = 64 * 1024;

/** Bytes that come piece by piece, in memory that doubles as it fills: all pieces beside the whole would be twice as much. */
export class GrowingBytes {
  private memory = new Uint8Array(FIRST_BYTES);
  private used = 0;

  /** How many bytes were added. */
  get length(): number {
    return this.used;
  }

  /** What was added. Nothing may be added afterwards. */
  get whole(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.memory.buffer, 0, this.used);
  }

  add(piece: Uint8Array): void {
    if (this.used + piece.length > this.memory.length) this.grow(this.used + piece.length);
    this.memory.set(piece, this.used);
    this.used += piece.length;
  }

  private grow(bytesMin: number): void {
    const larger = new Uint8Array(Math.max(bytesMin, this.memory.length * 2));
    larger.set(this.memory.subarray(0, this.used));
    // Given back at once, and not when V8 looks for garbage.
    this.memory.buffer.transfer(0);
    this.memory = larger;
  }
}
