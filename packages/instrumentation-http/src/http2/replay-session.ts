import http2, { type ClientHttp2Session, type ClientHttp2Stream, type ServerHttp2Stream } from 'node:http2';
import { duplexPair } from 'node:stream';
import { turn } from '../turn.ts';
import type { Connect, SessionOrigin } from './session-origin.ts';

/** As it was when this module was loaded: a replay's guard refuses what asks for a connection later. */
const connect = http2.connect as Connect;

/**
 * Stands in for a connection of a replay: Node's own client session, led through memory to a server session of ours. Frames,
 * flow control, trailers and aborts are real; nothing is opened.
 */
export class ReplaySession {
  readonly session: ClientHttp2Session;
  private readonly arrived = new Map<number, ServerHttp2Stream>();

  constructor({ authority, options }: SessionOrigin, listener?: (...given: never[]) => void) {
    const [near, far] = duplexPair();
    this.session = connect(authority, { ...options, createConnection: () => near }, listener);
    const server = http2.performServerHandshake(far);
    server.on('stream', (stream: ServerHttp2Stream) => {
      stream.on('error', () => undefined);
      // Whoever sends more than a window holds waits until it is read.
      stream.resume();
      if (stream.id !== undefined) this.arrived.set(stream.id, stream);
    });
    server.on('error', () => undefined);
    this.session.on('close', () => server.destroy());
    if (authority.protocol === 'https:') Object.defineProperty(this.session, 'encrypted', { value: true });
  }

  /** The far end of a request, once it is there; undefined where the request was closed before. */
  async farEnd(stream: ClientHttp2Stream): Promise<ServerHttp2Stream | undefined> {
    for (;;) {
      const found = stream.id === undefined ? undefined : this.arrived.get(stream.id);
      if (found !== undefined || stream.destroyed) return found;
      await turn();
    }
  }
}
