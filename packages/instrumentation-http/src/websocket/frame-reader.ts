import { WEBSOCKET_MESSAGE_BYTES_MAX } from '../limits.ts';
import type { PackedFrame, WebSocketMessage } from './websocket-message.ts';

interface FrameHead {
  readonly isFinal: boolean;
  readonly isCompressed: boolean;
  readonly opcode: number;
  readonly mask: Uint8Array | undefined;
  readonly start: number;
  readonly length: number;
}

const controlTypes: Readonly<Record<number, 'close' | 'ping' | 'pong'>> = { 8: 'close', 9: 'ping', 10: 'pong' };
const BINARY = 2;

/** What cannot be read as frames of RFC 6455: nothing behind it can. */
export class UnreadableFrames extends Error {}

function lengthOf(bytes: Buffer): { readonly length: number; readonly start: number } | undefined {
  const short = (bytes[1] ?? 0) & 0x7f;
  if (short < 126) return { length: short, start: 2 };
  if (short === 126) return bytes.length < 4 ? undefined : { length: bytes.readUInt16BE(2), start: 4 };
  return bytes.length < 10 ? undefined : { length: Number(bytes.readBigUInt64BE(2)), start: 10 };
}

/** Undefined while there are too few bytes of it. */
function headOf(bytes: Buffer): FrameHead | undefined {
  const [first = 0, second = 0] = bytes;
  const length = bytes.length < 2 ? undefined : lengthOf(bytes);
  if (length === undefined) return undefined;
  const isMasked = (second & 0x80) !== 0;
  const start = length.start + (isMasked ? 4 : 0);
  if (bytes.length < start) return undefined;
  return {
    isFinal: (first & 0x80) !== 0,
    isCompressed: (first & 0x40) !== 0,
    opcode: first & 0x0f,
    mask: isMasked ? bytes.subarray(length.start, start) : undefined,
    start,
    length: length.length,
  };
}

/** A copy, without its mask: the bytes belong to whoever writes or reads them. */
function payloadOf(bytes: Buffer, { mask, start, length }: FrameHead): Buffer {
  const payload = Buffer.from(bytes.subarray(start, start + length));
  if (mask === undefined) return payload;
  for (let at = 0; at < payload.length; at += 1) payload[at] = (payload[at] ?? 0) ^ (mask[at & 3] ?? 0);
  return payload;
}

function typeOf({ opcode }: FrameHead): 'text' | 'binary' {
  return opcode === BINARY ? 'binary' : 'text';
}

function closeOf(payload: Buffer): WebSocketMessage {
  if (payload.length < 2) return { type: 'close' };
  return { type: 'close', code: payload.readUInt16BE(0), reason: payload.toString('utf8', 2) };
}

/**
 * Reads the messages out of one direction of a WebSocket, whatever the pieces its bytes come in. Memory is bounded by
 * WEBSOCKET_MESSAGE_BYTES_MAX.
 */
export class FrameReader {
  private pieces: Buffer[] = [];
  private bytes = 0;
  /** How many bytes there must be before it is worth to look again. */
  private wanted = 2;
  private parts: Buffer[] = [];
  private partBytes = 0;
  private begun: FrameHead | undefined;
  private readonly isCompressionAgreed: boolean;

  constructor(isCompressionAgreed = false) {
    this.isCompressionAgreed = isCompressionAgreed;
  }

  /** The messages that end in these bytes, and of those that are compressed the frames. Throws UnreadableFrames. */
  read(chunk: Uint8Array): (WebSocketMessage | PackedFrame)[] {
    // A copy: a sender masks in place, and a receiver's buffer is used again.
    this.pieces.push(Buffer.from(chunk));
    this.bytes += chunk.byteLength;
    const messages: (WebSocketMessage | PackedFrame)[] = [];
    while (this.bytes >= this.wanted) {
      const message = this.next();
      if (message === 'incomplete') break;
      if (message !== undefined) messages.push(message);
    }
    return messages;
  }

  private next(): WebSocketMessage | PackedFrame | 'incomplete' | undefined {
    const joined = this.pieces.length === 1 ? this.pieces[0] : Buffer.concat(this.pieces);
    const bytes = joined ?? Buffer.alloc(0);
    this.pieces = [bytes];
    const head = headOf(bytes);
    if (head !== undefined && head.length + this.partBytes > WEBSOCKET_MESSAGE_BYTES_MAX)
      throw new UnreadableFrames(`a message has more than ${WEBSOCKET_MESSAGE_BYTES_MAX} bytes`);
    this.wanted = head === undefined ? bytes.length + 1 : head.start + head.length;
    if (head === undefined || bytes.length < this.wanted) return 'incomplete';
    const payload = payloadOf(bytes, head);
    const rest = bytes.subarray(this.wanted);
    this.pieces = [rest];
    this.bytes = rest.length;
    this.wanted = 2;
    return this.frame(head, payload);
  }

  private frame(head: FrameHead, payload: Buffer): WebSocketMessage | PackedFrame | undefined {
    const control = controlTypes[head.opcode];
    if (control === 'close') return closeOf(payload);
    if (control !== undefined) return { type: control, bytes: payload };
    const isContinued = head.opcode === 0;
    if (head.opcode > BINARY || isContinued === (this.begun === undefined))
      throw new UnreadableFrames(`a frame of type ${head.opcode} is out of place`);
    this.begun ??= head;
    this.partBytes += payload.length;
    const message = this.begun.isCompressed ? this.packed(this.begun, payload, head.isFinal) : undefined;
    if (message === undefined) this.parts.push(payload);
    if (!head.isFinal) return message;
    const whole = message ?? { type: typeOf(this.begun), bytes: Buffer.concat(this.parts) };
    this.parts = [];
    this.partBytes = 0;
    this.begun = undefined;
    return whole;
  }

  private packed(begun: FrameHead, packed: Buffer, isFinal: boolean): PackedFrame {
    if (!this.isCompressionAgreed) throw new UnreadableFrames('a message is compressed, which was not agreed');
    return { type: typeOf(begun), packed, isFinal };
  }
}
