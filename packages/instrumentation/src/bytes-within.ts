/**
 * The bytes of a buffer or view, or of the part of it that `randomFill` means by offset and size; undefined for anything else.
 * Throws RangeError where the part lies outside.
 */
export function bytesWithin(buffer: unknown, offset?: unknown, size?: unknown): Uint8Array | undefined {
  const from = typeof offset === 'number' ? offset : 0;
  if (buffer instanceof ArrayBuffer) return new Uint8Array(buffer, from, typeof size === 'number' ? size : undefined);
  if (!ArrayBuffer.isView(buffer)) return undefined;
  const scale = 'BYTES_PER_ELEMENT' in buffer ? Number(buffer.BYTES_PER_ELEMENT) : 1;
  const length = typeof size === 'number' ? size * scale : buffer.byteLength - from * scale;
  if (from * scale + length > buffer.byteLength) throw new RangeError('The part lies outside the buffer.');
  return new Uint8Array(buffer.buffer, buffer.byteOffset + from * scale, length);
}
