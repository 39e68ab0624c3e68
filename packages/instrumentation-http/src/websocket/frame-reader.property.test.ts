import { constants, deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WEBSOCKET_MESSAGE_BYTES_MAX } from '../limits.ts';
import { frameBytes } from './frame-bytes.ts';
import { FrameReader, UnreadableFrames } from './frame-reader.ts';
import { MessageInflater } from './message-inflater.ts';
import type { PackedFrame, WebSocketMessage } from './websocket-message.ts';

type Data = Extract<WebSocketMessage, { bytes: Buffer }>;

interface FrameOptions {
  readonly isFinal?: boolean;
  readonly isCompressed?: boolean;
  readonly mask?: Buffer;
}

/** One frame, in each form in which it may be sent. */
function frame(
  opcode: number,
  payload: Buffer,
  { isFinal = true, isCompressed = false, mask = Buffer.alloc(0) }: FrameOptions = {},
): Buffer {
  const plain = frameBytes({ type: 'binary', bytes: payload });
  const head = Buffer.from(plain.subarray(0, plain.length - payload.length));
  head[0] = (isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode;
  if (mask.length === 0) return Buffer.concat([head, payload]);
  head[1] = (head[1] ?? 0) | 0x80;
  return Buffer.concat([head, mask, payload.map((byte, at) => byte ^ (mask[at & 3] ?? 0))]);
}

/** A message in frames, with a ping between each two of them. */
function fragments({ type, bytes }: Data, cuts: number, mask: Buffer): Buffer[] {
  const opcode = type === 'text' ? 1 : 2;
  const size = Math.max(1, Math.ceil(bytes.length / (cuts + 1)));
  const pieces: Buffer[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  return pieces.flatMap((piece, index) => {
    const isFinal = index === pieces.length - 1;
    const part = frame(index === 0 ? opcode : 0, piece, { isFinal, mask });
    return isFinal ? [part] : [part, frame(9, Buffer.from([index & 0xff]), { mask })];
  });
}

function readIn(reader: FrameReader, bytes: Buffer, size: number): (WebSocketMessage | PackedFrame)[] {
  const messages: (WebSocketMessage | PackedFrame)[] = [];
  for (let at = 0; at < bytes.length; at += size) messages.push(...reader.read(bytes.subarray(at, at + size)));
  return messages;
}

const someBytes = fc.uint8Array({ maxLength: 300, size: 'max' }).map((bytes) => Buffer.from(bytes));
const message: fc.Arbitrary<Data> = fc.record({ type: fc.constantFrom('text', 'binary'), bytes: someBytes });
const mask = fc.constantFrom(Buffer.alloc(0), Buffer.from([1, 2, 3, 250]));

describe('the messages of a WebSocket', () => {
  it('are read whatever pieces, frames and masks they come in', () => {
    const anyMessages = fc.array(fc.tuple(message, fc.nat(4)), { maxLength: 8 });
    fc.assert(
      fc.property(anyMessages, mask, fc.integer({ min: 1, max: 400 }), (sent, key, size) => {
        const bytes = Buffer.concat(sent.flatMap(([said, cuts]) => fragments(said, cuts, key)));
        const read = readIn(new FrameReader(), bytes, size).filter(({ type }) => type !== 'ping');
        expect(read).toEqual(sent.map(([said]) => said));
      }),
    );
  });

  it('are read unpacked, also where one refers to those before it', () => {
    fc.assert(
      fc.property(
        fc.array(someBytes, { maxLength: 6 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 90 }),
        (sent, takesOver, size) => {
          let window: Buffer = Buffer.alloc(0);
          const frames = sent.map((bytes) => {
            const options = { finishFlush: constants.Z_SYNC_FLUSH, ...(window.length > 0 && { dictionary: window }) };
            if (takesOver) window = Buffer.concat([window, bytes]).subarray(-32_768);
            return frame(2, deflateRawSync(bytes, options).subarray(0, -4), { isCompressed: true });
          });
          const inflater = new MessageInflater();
          const packed = readIn(new FrameReader(true), Buffer.concat(frames), size);
          const read = packed.map((message) =>
            'packed' in message ? inflater.inflate(message.type, [message.packed]) : message,
          );
          expect(read).toEqual(sent.map((bytes) => ({ type: 'binary', bytes, wasCompressed: true })));
        },
      ),
    );
  });

  it('are read of every length that has a form of its own', () => {
    for (const length of [0, 125, 126, 65_535, 65_536]) {
      const bytes = Buffer.alloc(length, 7);
      expect(new FrameReader().read(frameBytes({ type: 'binary', bytes }))).toEqual([{ type: 'binary', bytes }]);
    }
  });

  it('tell a close with its code, and one without', () => {
    const close = { type: 'close', code: 4001, reason: 'enough – é' } as const;
    const bytes = Buffer.concat([frameBytes(close), frameBytes({ type: 'close' })]);
    expect(new FrameReader().read(bytes)).toEqual([close, { type: 'close' }]);
  });

  it('are given up where they are none, or are longer than what is kept', () => {
    const long = Buffer.alloc(10);
    long.set([0x82, 127]);
    long.writeBigUInt64BE(BigInt(WEBSOCKET_MESSAGE_BYTES_MAX) + 1n, 2);
    const unread = [
      long,
      frame(3, Buffer.alloc(1)),
      frame(0, Buffer.alloc(1)),
      frame(1, Buffer.alloc(1), { isCompressed: true }),
    ];
    for (const bytes of unread) expect(() => new FrameReader().read(bytes)).toThrow(UnreadableFrames);
  });
});
