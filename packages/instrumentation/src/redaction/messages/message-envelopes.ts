import type { TextPart } from '../text/text-part.ts';

/** One message of a stream that has several, and where it stands: behind a byte of flags and four of its length. */
export interface Envelope extends TextPart {
  readonly isPacked: boolean;
}

const HEAD_BYTES = 5;
const PACKED_FLAG = 0x01;
/** Packed; the end of a stream of Connect; the trailers of gRPC-Web. */
const KNOWN_FLAGS = 0x01 | 0x02 | 0x80;

/**
 * The messages of a body in the framing of gRPC, gRPC-Web and Connect, the last of which may have been cut off; undefined where these
 * bytes are not such a body.
 */
export function envelopesIn(bytes: Buffer): Envelope[] | undefined {
  const envelopes: Envelope[] = [];
  for (let at = 0; at < bytes.length; ) {
    const flags = bytes[at] ?? 0;
    if ((flags & ~KNOWN_FLAGS) !== 0 || at + HEAD_BYTES > bytes.length) return undefined;
    const start = at + HEAD_BYTES;
    const end = start + bytes.readUInt32BE(at + 1);
    if (end > bytes.length && envelopes.length === 0) return undefined;
    envelopes.push({ start, end: Math.min(end, bytes.length), isPacked: (flags & PACKED_FLAG) !== 0 });
    at = end;
  }
  return envelopes.length === 0 ? undefined : envelopes;
}

/** An envelope as it stands in these bytes, around another message where one is given. */
export function withMessage(bytes: Buffer, { start, end }: Envelope, message: Buffer | undefined): Buffer[] {
  if (message === undefined) return [bytes.subarray(start - HEAD_BYTES, end)];
  const head = Buffer.from(bytes.subarray(start - HEAD_BYTES, start));
  // One that was cut off keeps the length it would have had: its end is missing in the recording, too.
  if (message.byteLength !== end - start) head.writeUInt32BE(message.byteLength, 1);
  return [head, message];
}
