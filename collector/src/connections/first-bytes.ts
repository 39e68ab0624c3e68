import type { Server, Socket } from 'node:net';
import type { ReenactError } from '@reenact/trace-model';
import { endHttp2Later, refuseInsecureHttp2 } from './refuse-http2.ts';

/** What a connection begins with. */
export type Beginning = 'tls' | 'http2' | 'http1' | 'other';

/** How long a connection may bring nothing: a handshake or a preface is sent at once. */
const FIRST_BYTES_MS = 60_000;

/** How long what a refused sender goes on sending is let pass, so that it comes to read the answer and is not cut off in the midst of it. */
const REFUSED_DRAIN_MS = 2_000;

const TLS_HANDSHAKE = 0x16;
const HTTP2_PREFACE = Buffer.from('PRI');

/** A sender that is refused for good deletes what it holds; once its address is set right, this can be sent. */
export const MAY_BE_SET_RIGHT = '503 Service Unavailable';

const isCapital = (byte: number) => byte >= 0x41 && byte <= 0x5a;

/** Undefined where so few bytes do not tell yet. */
export function beginningOf(bytes: Buffer): Beginning | undefined {
  if (bytes[0] === TLS_HANDSHAKE) return 'tls';
  const first = bytes.subarray(0, HTTP2_PREFACE.length);
  if (!first.every(isCapital)) return 'other';
  if (first.length < HTTP2_PREFACE.length) return undefined;
  return first.equals(HTTP2_PREFACE) ? 'http2' : 'http1';
}

/** Says of a beginning that a port does not serve what is wrong; undefined of one that is left to the server, which may refuse it, too. */
export type RefuseBeginning = (beginning: Beginning) => ReenactError | undefined;

/** Told of a connection that was refused, and from where it came. */
export type OnRefusedBeginning = (error: ReenactError, peer: string | undefined) => void;

/**
 * Looks at how each connection of a server begins before the server does, and answers what belongs to another port in words that its sender can
 * read: a server of TLS says nothing to plain HTTP, and one of HTTP/2 sends frames to HTTP/1.1. It costs each connection one more look, and a request nothing.
 */
export class FirstBytes {
  private readonly waiting = new Set<Socket>();
  private readonly refuse: RefuseBeginning;
  private readonly onRefused: OnRefusedBeginning;

  /** Takes the place of all listeners for connections that there are; those that come later are told of each connection at once, as ever. */
  constructor(server: Server, refuse: RefuseBeginning, onRefused: OnRefusedBeginning) {
    this.refuse = refuse;
    this.onRefused = onRefused;
    const listeners = server.listeners('connection') as ((socket: Socket) => void)[];
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      if (socket.destroyed) return;
      this.watch(socket, () => {
        for (const listener of listeners) listener.call(server, socket);
      });
    });
  }

  /** Ends connections that have brought nothing, for which a stop would wait. */
  stop(): void {
    for (const socket of this.waiting) socket.destroy();
  }

  private watch(socket: Socket, serve: () => void): void {
    // A socket that is closed knows of the other side what it was asked before.
    const { remoteAddress } = socket;
    this.waiting.add(socket);
    let bytes: Buffer = Buffer.alloc(0);
    const onData = (chunk: Buffer): void => {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
      const beginning = beginningOf(bytes);
      if (beginning === undefined) return;
      release();
      const error = this.refuse(beginning);
      if (error !== undefined) {
        this.onRefused(error, remoteAddress);
        answer(socket, beginning, error);
        return;
      }
      socket.pause();
      socket.unshift(bytes);
      serve();
    };
    const end = (): void => {
      socket.destroy();
    };
    const release = (): void => {
      clearTimeout(timer);
      this.waiting.delete(socket);
      socket.off('data', onData).off('end', end).off('error', end).off('close', release);
    };
    const timer = setTimeout(end, FIRST_BYTES_MS).unref();
    socket.on('data', onData).on('end', end).on('error', end).on('close', release);
  }
}

/** As HTTP, which a sender of TLS does not read, but names: that it got no TLS is all that can be said to it. */
function answer(socket: Socket, beginning: Beginning, error: ReenactError): void {
  socket.on('error', () => socket.destroy());
  destroyOnceDrained(socket);
  socket.once('end', () => socket.destroy());
  socket.resume();
  if (beginning === 'http2') endHttp2Later(socket, refuseInsecureHttp2(sentenceOf(error)));
  else socket.end(answerInHttp(error, MAY_BE_SET_RIGHT));
}

/** A sender that is refused and never closes its connection must keep no place of others, and no stop. */
export function destroyOnceDrained(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), REFUSED_DRAIN_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}

const sentenceOf = ({ message, next = '' }: ReenactError) => `${message} ${next}`;

/** A whole answer over HTTP/1.1, written without a server. */
export function answerInHttp(error: ReenactError | undefined, status = '400 Bad Request'): string {
  const body = JSON.stringify({ error: { code: error?.code, message: error?.message, next: error?.next } });
  const head = ['Connection: close', 'Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`];
  return `HTTP/1.1 ${status}\r\n${head.join('\r\n')}\r\n\r\n${body}`;
}
