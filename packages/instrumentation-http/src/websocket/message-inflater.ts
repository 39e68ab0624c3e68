import { constants, inflateRawSync } from 'node:zlib';
import { WEBSOCKET_MESSAGE_BYTES_MAX } from '../limits.ts';
import { UnreadableFrames } from './frame-reader.ts';
import type { WebSocketMessage } from './websocket-message.ts';

/** What RFC 7692 has a sender leave out at the end of each message. */
const tail = Buffer.from([0x00, 0x00, 0xff, 0xff]);

/** How far back a message may refer to those before it. */
const WINDOW_BYTES = 32 * 1024;

/**
 * Unpacks the messages of one direction (`permessage-deflate`, RFC 7692) at once, so that a message is known before anybody is told of
 * it. What a later message may refer to is kept: a window.
 */
export class MessageInflater {
  private window: Buffer = Buffer.alloc(0);

  /** Messages are to be given in order, and none left out. Throws UnreadableFrames. */
  inflate(type: 'text' | 'binary', frames: readonly Buffer[]): WebSocketMessage {
    try {
      const bytes = inflateRawSync(Buffer.concat([...frames, tail]), {
        finishFlush: constants.Z_SYNC_FLUSH,
        maxOutputLength: WEBSOCKET_MESSAGE_BYTES_MAX,
        ...(this.window.length === 0 ? {} : { dictionary: this.window }),
      });
      this.saw(bytes);
      return { type, bytes, wasCompressed: true };
    } catch (error) {
      throw new UnreadableFrames(`a message could not be unpacked: ${String(error)}`);
    }
  }

  /** A message that somebody else has unpacked. */
  saw(bytes: Uint8Array): void {
    this.window = Buffer.from(Buffer.concat([this.window, bytes.subarray(-WINDOW_BYTES)]).subarray(-WINDOW_BYTES));
  }
}
