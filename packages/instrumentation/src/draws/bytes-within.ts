/**
 * The bytes of a buffer or view, or of the part of it that `randomFill` means by offset and size. Undefined for anything else,
 * and where the part lies outside.
 */
export function bytesWithin(buffer: unknown, offset?: unknown, size?: unknown): Uint8Array | undefined {
  const isView = ArrayBuffer.isView(buffer);
  if (!isView && !(buffer instanceof ArrayBuffer)) return undefined;
  // Both count elements of a typed array, and bytes of everything else.
  const scale = isView && 'BYTES_PER_ELEMENT' in buffer ? Number(buffer.BYTES_PER_ELEMENT) : 1;
  const from = typeof offset === 'number' ? offset * scale : 0;
  const length = typeof size === 'number' ? size * scale : buffer.byteLength - from;
  if (!(from >= 0 && length >= 0 && from + length <= buffer.byteLength)) return undefined;
  return isView
    ? new Uint8Array(buffer.buffer, buffer.byteOffset + from, length)
    : new Uint8Array(buffer, from, length);
}
