import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { PIPELINED_REQUESTS_MAX } from '../limits.ts';

type Serve = () => void;

/**
 * Has requests of one connection served one after the other, and those of others in between. Node.js would begin all that a sender wrote without
 * waiting for answers at once: some hundred connections with thousands of requests each held up everybody else for a minute. What was read of a connection at one time, up to
 * 64 KiB, is still made into requests, and those of one that is cut off into errors: Node.js has no way to stop that.
 */
export class ConnectionTurns {
  /** What waits behind the request in work of a connection; undefined once too much did. */
  private readonly waiting = new WeakMap<Socket, Serve[] | undefined>();
  private readonly onTooMany: (socket: Socket) => void;

  /** `onTooMany`: told once of a connection over which too many requests wait; none of them is served. */
  constructor(onTooMany: (socket: Socket) => void) {
    this.onTooMany = onTooMany;
  }

  /** Serves a request when it is its turn: at once, where none of its connection is in work. */
  take({ socket }: IncomingMessage, response: ServerResponse, serve: Serve): void {
    const begin = (): void => {
      response.once('close', () => this.goOn(socket));
      serve();
    };
    if (!this.waiting.has(socket)) {
      this.waiting.set(socket, []);
      begin();
      return;
    }
    const waiting = this.waiting.get(socket);
    if (waiting === undefined) return;
    if (waiting.push(begin) <= PIPELINED_REQUESTS_MAX) return;
    this.waiting.set(socket, undefined);
    this.onTooMany(socket);
  }

  private goOn(socket: Socket): void {
    const waiting = this.waiting.get(socket);
    if (waiting === undefined || socket.destroyed) return;
    const next = waiting.shift();
    if (next === undefined) this.waiting.delete(socket);
    else setImmediate(next);
  }
}
