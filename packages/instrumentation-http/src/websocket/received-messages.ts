import { WEBSOCKET_MESSAGE_BYTES_MAX } from '../limits.ts';
import { turn } from '../turn.ts';
import { UnreadableFrames } from './frame-reader.ts';
import { MessageInflater } from './message-inflater.ts';
import { expectUnpacking, type PackedPiece } from './packing-watch.ts';
import type { PackedFrame, WebSocketMessage } from './websocket-message.ts';

/** A message that a library unpacks at the moment, or will: a frame when it comes. */
class Unpacking {
  readonly type: 'text' | 'binary';
  readonly frames: Buffer[] = [];
  readonly parts: Uint8Array[] = [];
  bytes = 0;
  /** Whether all of it has come. */
  isWhole = false;
  /** How many of its frames the library has begun with, and is done with. */
  begun = 0;
  done = 0;
  /** Nobody was seen to unpack it. */
  isLeftToUs = false;
  private readonly connection: object;
  private readonly forgets: (() => void)[] = [];

  constructor(type: 'text' | 'binary', connection: object) {
    this.type = type;
    this.connection = connection;
  }

  get isTold(): boolean {
    return this.isWhole && this.done === this.frames.length;
  }

  add({ packed, isFinal }: PackedFrame, done: () => void): void {
    this.frames.push(packed);
    this.isWhole = isFinal;
    if (this.isLeftToUs) return;
    const piece: PackedPiece = {
      connection: this.connection,
      bytes: packed,
      begun: () => {
        this.begun += 1;
      },
      unpacked: (part) => this.keep(part),
      done: () => {
        this.done += 1;
        done();
      },
    };
    this.forgets.push(expectUnpacking(piece));
  }

  leave(): void {
    this.isLeftToUs = true;
    for (const forget of this.forgets) forget();
  }

  private keep(part: Uint8Array): void {
    this.bytes += part.byteLength;
    if (this.bytes <= WEBSOCKET_MESSAGE_BYTES_MAX) this.parts.push(part);
    else this.parts.length = 0;
  }
}

/** Who is told of what has come, each at its time. */
export interface ReceivedListener {
  /** `isExact`: the library tells of it next. */
  received(message: WebSocketMessage, isExact: boolean): void;
  unreadable(error: unknown): void;
}

/**
 * What has come over a WebSocket, told when the library that reads it tells of it: it unpacks what is compressed beside other calls, and what comes
 * behind waits for that. What the library has unpacked is taken from it: it is not done twice.
 */
export class ReceivedMessages {
  private readonly connection: object;
  private readonly listener: ReceivedListener;
  private readonly inflater = new MessageInflater();
  private waiting: (Unpacking | (() => void))[] = [];
  private end: (() => void) | undefined;
  private isOver = false;

  constructor(connection: object, listener: ReceivedListener) {
    this.connection = connection;
    this.listener = listener;
  }

  /** Calls `tell` when everything before has been told. */
  add(tell: () => void): void {
    if (this.waiting.length === 0) tell();
    else this.waiting.push(tell);
  }

  /** The same of the end of the connection. */
  addEnd(tell: () => void): void {
    this.end = tell;
    this.add(() => this.tellEnd());
  }

  /** The library hears of nothing any more that has not been told, but of the end. */
  drop(): void {
    for (const item of this.waiting) if (item instanceof Unpacking) item.leave();
    this.waiting = [];
    this.tellEnd();
  }

  private tellEnd(): void {
    const { end } = this;
    this.end = undefined;
    end?.();
  }

  addPacked(frame: PackedFrame): void {
    const last = this.waiting.findLast((item) => item instanceof Unpacking);
    const unpacking = last === undefined || last.isWhole ? new Unpacking(frame.type, this.connection) : last;
    unpacking.add(frame, () => this.drain());
    if (unpacking !== last) {
      this.waiting.push(unpacking);
      if (this.waiting.length === 1) this.watch(unpacking);
    } else if (unpacking.isLeftToUs) {
      this.drain();
    }
  }

  private drain(): void {
    for (let next = this.waiting[0]; next !== undefined; next = this.waiting[0]) {
      if (next instanceof Unpacking) {
        const isReady = next.isLeftToUs ? next.isWhole : next.isTold;
        if (!isReady) {
          if (!next.isLeftToUs && next.begun === 0) this.watch(next);
          return;
        }
        this.waiting.shift();
        if (next.isLeftToUs) this.unpackHere(next);
        else this.told(next);
      } else {
        this.waiting.shift();
        next();
      }
    }
  }

  private told({ type, parts, bytes }: Unpacking): void {
    if (this.isOver) return;
    if (bytes > WEBSOCKET_MESSAGE_BYTES_MAX) {
      this.fail(new UnreadableFrames(`a message has more than ${WEBSOCKET_MESSAGE_BYTES_MAX} bytes`));
      return;
    }
    const whole = Buffer.concat(parts);
    this.inflater.saw(whole);
    this.listener.received({ type, bytes: whole }, true);
  }

  /** A library that unpacks by something else is not seen to begin: then it is done here, and nobody knows when it is told. */
  private watch(unpacking: Unpacking): void {
    void turn()
      .then(turn)
      .then(() => {
        if (unpacking.begun > 0 || this.waiting[0] !== unpacking) return;
        unpacking.leave();
        this.drain();
      });
  }

  private unpackHere({ type, frames }: Unpacking): void {
    if (this.isOver) return;
    try {
      this.listener.received(this.inflater.inflate(type, frames), false);
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    this.isOver = true;
    this.listener.unreadable(error);
  }
}
