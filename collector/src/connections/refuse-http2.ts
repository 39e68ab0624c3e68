import type { Socket } from 'node:net';
import { RETRY_AFTER_MS } from '../limits.ts';

const FRAME_HEAD_BYTES = 9;
const SETTINGS = 0x4;
const GOAWAY = 0x7;
const NO_ERROR = 0x0;
const HTTP_1_1_REQUIRED = 0xd;

/**
 * What a server says over HTTP/2 that speaks HTTP/1.1 only: its settings, which come first, and the end of the connection with why. Those who speak
 * HTTP/2 take an answer over HTTP/1.1 for nonsense, or wait until their time is over.
 */
export function refuseHttp2(reason: string): Buffer {
  return endConnection(HTTP_1_1_REQUIRED, reason);
}

/** The same from a server that takes encrypted connections only: what is not set up yet may be sent again, which clients of gRPC do not do after `INADEQUATE_SECURITY`. */
export function refuseInsecureHttp2(reason: string): Buffer {
  return endConnection(NO_ERROR, reason);
}

/**
 * Ends a connection with such an answer, a moment later: gRPC for Go takes it for one in which its call was never begun, and makes connection and call
 * again at once, hundreds of times a second until the call's time is over.
 */
export function endHttp2Later(socket: Pick<Socket, 'end' | 'once'>, answer: Buffer, onEnded?: () => void): void {
  const timer = setTimeout(() => socket.end(answer, onEnded), RETRY_AFTER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}

function endConnection(code: number, reason: string): Buffer {
  const data = Buffer.from(reason);
  const goAway = Buffer.alloc(8);
  goAway.writeUInt32BE(code, 4);
  return Buffer.concat([frameHead(SETTINGS, 0), frameHead(GOAWAY, goAway.length + data.length), goAway, data]);
}

/** Of the connection as a whole, without flags. */
function frameHead(type: number, bytes: number): Buffer {
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  head.writeUIntBE(bytes, 0, 3);
  head.writeUInt8(type, 3);
  return head;
}
