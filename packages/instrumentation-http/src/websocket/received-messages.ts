import { WEBSOCKET_MESSAGE_BYTES_MAX } from '../limits.ts';
import { turn } from '../turn.ts';
import { UnreadableFrames } from './frame-reader.ts';
import { MessageInflater } from './message-inflater.ts';
import { expectUnpacking } from './packing-watch.ts';
import type { PackedMessage, WebSocketMessage } from './websocket-message.ts';

/** A message that a library unpacks at the moment, or will. */
class Unpacking {
  readonly message: PackedMessage;
  readonly parts: Uint8Array[] = [];
  bytes = 0;
  hasBegun = false;
  isDone = false;
  forget = (): void => undefined;

  constructor(message: PackedMessage) {
    this.message = message;
  }

  keep(part: Uint8Array): void {
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
  private readonly listener: ReceivedListener;
  private readonly inflater = new MessageInflater();
  private waiting: (Unpacking | (() => void))[] = [];
  private isOver = false;

  constructor(listener: ReceivedListener) {
    this.listener = listener;
  }

  /** Calls `tell` when everything before has been told. */
  add(tell: () => void): void {
    if (this.waiting.length === 0) tell();
    else this.waiting.push(tell);
  }

  addPacked(message: PackedMessage): void {
    const unpacking = new Unpacking(message);
    const forgets = message.frames.map((bytes, index) =>
      expectUnpacking({
        bytes,
        begun: () => {
          unpacking.hasBegun = true;
        },
        unpacked: (part) => unpacking.keep(part),
        done: () => {
          if (index === message.frames.length - 1) this.done(unpacking);
        },
      }),
    );
    unpacking.forget = () => {
      for (const forget of forgets) forget();
    };
    this.waiting.push(unpacking);
    if (this.waiting.length === 1) this.watch(unpacking);
  }

  private done(unpacking: Unpacking): void {
    unpacking.isDone = true;
    this.drain();
  }

  private drain(): void {
    for (let next = this.waiting[0]; next !== undefined; next = this.waiting[0]) {
      if (next instanceof Unpacking) {
        if (!next.isDone) {
          this.watch(next);
          return;
        }
        this.waiting.shift();
        this.told(next);
      } else {
        this.waiting.shift();
        next();
      }
    }
  }

  private told({ message, parts, bytes }: Unpacking): void {
    if (this.isOver) return;
    if (bytes > WEBSOCKET_MESSAGE_BYTES_MAX) {
      this.fail(new UnreadableFrames(`a message has more than ${WEBSOCKET_MESSAGE_BYTES_MAX} bytes`));
      return;
    }
    const whole = Buffer.concat(parts);
    this.inflater.saw(whole);
    this.listener.received({ type: message.type, bytes: whole }, true);
  }

  /** A library that unpacks by something else is not seen to begin: then it is done here, and nobody knows when it is told. */
  private watch(unpacking: Unpacking): void {
    void turn()
      .then(turn)
      .then(() => {
        if (unpacking.hasBegun || this.waiting[0] !== unpacking) return;
        unpacking.forget();
        this.waiting.shift();
        this.unpackHere(unpacking.message);
        this.drain();
      });
  }

  private unpackHere(message: PackedMessage): void {
    if (this.isOver) return;
    try {
      this.listener.received(this.inflater.inflate(message), false);
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    this.isOver = true;
    this.listener.unreadable(error);
  }
}
