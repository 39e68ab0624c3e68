import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Context, context as contexts } from '@opentelemetry/api';
import { guarded, runInContext, scopeOf } from '@reenact/instrumentation';
import { patchInstance } from '../instance-patch.ts';
import { FrameReader } from './frame-reader.ts';
import { MessageInflater } from './message-inflater.ts';
import { watchPacking, whileReading } from './packing-watch.ts';
import { ReceivedMessages } from './received-messages.ts';
import type { PackedFrame, WebSocketMessage } from './websocket-message.ts';

/** Who is told of what passes over a connection; each before the other side of it is. */
export interface SocketListener {
  /**
   * `isExact`: whether the other side of the connection is told of it next. `isTogether`: whether it came in one read with the message
   * before it, or, as the first, with the answer that made this a WebSocket.
   */
  received?(message: WebSocketMessage, isExact: boolean, isTogether: boolean): void;
  sent(message: WebSocketMessage): void;
  /** The connection has ended, or failed with this. */
  ended?(error: unknown): void;
  /** Nothing that comes from here on in this direction is told. */
  unreadable(direction: 'received' | 'sent', error: unknown): void;
}

/** What says that a connection has another protocol from now on, names of headers in lower case. */
export interface UpgradeAnswer {
  readonly statusCode?: number | undefined;
  readonly headers: IncomingHttpHeaders;
}

/** A connection that an answer has given another protocol; `head` are bytes of it that came with the answer. */
export interface UpgradedConnection {
  readonly response: UpgradeAnswer;
  readonly socket: Duplex;
  readonly head: unknown;
  /** Whether such bytes wait in the socket already. */
  readonly isHeadBuffered?: boolean;
  /** Whether its library tells of no message any more once the connection is closed, also where one has come before. */
  readonly isDeafOnceClosed?: true;
}

/** Takes on what passes over a connection that has changed its protocol. False where that cannot be recorded. */
export type TakesOver = (upgraded: UpgradedConnection) => boolean;

/** Whether an answer to whom asked for it makes its connection a WebSocket: of HTTP/2 (RFC 8441) it says no more than that it is well. */
export function isWebSocket({ statusCode, headers }: UpgradeAnswer): boolean {
  return statusCode === 200 || (statusCode === 101 && headers.upgrade?.toLowerCase() === 'websocket');
}

function isCompressionAgreed({ headers }: UpgradeAnswer): boolean {
  return /permessage-deflate/i.test(String(headers['sec-websocket-extensions'] ?? ''));
}

/** What is made of what is read in one direction. */
interface Reading {
  told(message: WebSocketMessage): void;
  /** Throws UnreadableFrames. */
  packed(frame: PackedFrame): void;
  failed(error: unknown): void;
}

/** Reads frames for as long as they can be read. */
function readerFor(response: UpgradeAnswer, reading: Reading): (chunk: unknown, encoding?: unknown) => void {
  let reader: FrameReader | undefined = new FrameReader(isCompressionAgreed(response));
  return (chunk, encoding) => {
    try {
      for (const message of reader?.read(bytesOf(chunk, encoding)) ?? []) {
        if ('packed' in message) reading.packed(message);
        else reading.told(message);
      }
    } catch (error) {
      reader = undefined;
      reading.failed(error);
    }
  };
}

function bytesOf(chunk: unknown, encoding: unknown): Uint8Array {
  if (typeof chunk !== 'string') return chunk as Uint8Array;
  return Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8');
}

function startsWith({ buffer, byteOffset, byteLength }: Uint8Array, start: Uint8Array): boolean {
  return byteLength >= start.length && Buffer.from(buffer, byteOffset, start.length).equals(start);
}

/** Whoever opened a connection is told what comes over it in that context, also where the connection was made for somebody before. */
function emitIn(around: Context, emit: () => boolean): boolean {
  return scopeOf(contexts.active()) === scopeOf(around) ? emit() : runInContext(around, emit);
}

function watchReceived(
  { response, socket, head, isHeadBuffered, isDeafOnceClosed }: UpgradedConnection,
  listener: SocketListener,
  around: Context,
): void {
  let first = head instanceof Uint8Array ? head : Buffer.alloc(0);
  let isTogether = first.length > 0 || isHeadBuffered === true;
  const messages = new ReceivedMessages(socket, {
    received: (message, isExact) => listener.received?.(message, isExact, false),
    unreadable: (error) => listener.unreadable('received', error),
  });
  const stopWatching = isCompressionAgreed(response) ? watchPacking() : undefined;
  const read = readerFor(response, {
    told: (message) => {
      let isNow = true;
      messages.add(() => listener.received?.(message, true, isNow && isTogether));
      isNow = false;
      // A replay says no pings, so that there is nothing for the next to come with.
      if (message.type !== 'ping' && message.type !== 'pong') isTogether = true;
    },
    packed: (frame) => messages.addPacked(frame),
    failed: (error) => messages.add(() => listener.unreadable('received', error)),
  });
  const readData = (data: unknown): void => {
    // What came with the answer is put back by the library, so that it comes among the data, or is read by itself.
    if (first.length > 0 && !startsWith(data as Uint8Array, first)) {
      read(first);
      isTogether = false;
    }
    first = Buffer.alloc(0);
    read(data);
    isTogether = false;
  };
  const seen = (event: string | symbol, value: unknown): void => {
    if (event === 'data') readData(value);
    else if (event === 'end' || event === 'error')
      messages.addEnd(() => listener.ended?.(event === 'error' ? value : undefined));
    else if (event === 'close') {
      stopWatching?.();
      if (isDeafOnceClosed === true) messages.drop();
    }
  };
  patchInstance(socket, 'emit', (emit) => {
    return function emitWatched(this: Duplex, event: string | symbol, ...values: unknown[]): boolean {
      guarded('recording a WebSocket', () => seen(event, values[0]), undefined);
      const tell = (): boolean => Reflect.apply(emit, this, [event, ...values]) as boolean;
      return emitIn(around, () => (event === 'data' ? whileReading(socket, tell) : tell()));
    } as Duplex['emit'];
  });
}

/** Has what comes over a connection told in the context of who opened it, where nobody watches it: else all of it would count as a part of the request that opened it. */
export function tellIn(around: Context, socket: Duplex): void {
  patchInstance(socket, 'emit', (emit) => {
    return function emitAround(this: Duplex, ...event: Parameters<Duplex['emit']>): boolean {
      return emitIn(around, () => Reflect.apply(emit, this, event) as boolean);
    } as Duplex['emit'];
  });
}

/**
 * Watches a connection that has become a WebSocket, below whatever library reads and writes its frames. It adds no listener: a socket
 * that nobody listens to does not flow.
 */
export function watchSocket(upgraded: UpgradedConnection, listener: SocketListener, around: Context): void {
  const { response, socket } = upgraded;
  if (listener.received !== undefined) watchReceived(upgraded, listener, around);
  const inflater = new MessageInflater();
  let frames: Buffer[] = [];
  const read = readerFor(response, {
    told: (message) => listener.sent(message),
    packed: ({ type, packed, isFinal }) => {
      frames.push(packed);
      if (!isFinal) return;
      const whole = frames;
      frames = [];
      listener.sent(inflater.inflate(type, whole));
    },
    failed: (error) => listener.unreadable('sent', error),
  });
  patchInstance(socket, 'write', (write) => {
    return function writeWatched(this: Duplex, ...parameters: unknown[]): boolean {
      guarded('watching a WebSocket', () => read(parameters[0], parameters[1]), undefined);
      return Reflect.apply(write, this, parameters) as boolean;
    } as Duplex['write'];
  });
}
