import type { Socket } from 'node:net';
import { EARLY_SOCKETS_MAX } from '../../limits.ts';
import type { UnseenConnection } from '../../run/unseen-connections.ts';

/** Whether a socket is connected, or was until it was closed: whoever only asks whether somebody listens there reads nothing. */
function wasConnected({ pending, bytesRead, destroyed, errored }: Socket): boolean {
  return !pending || bytesRead > 0 || (destroyed && errored === null);
}

/**
 * What a program connects to outside of all runs, and may have waited for before it could begin one: a replay refuses that, and the run may
 * never begin. A program that did not wait goes on. So what counts is connected by the time a server listens, as a program waits first and
 * listens then; in one that does not listen, by the time the run begins.
 */
export class EarlyConnections {
  private readonly opened = new Map<Socket, UnseenConnection>();
  private readonly asked = new Set<UnseenConnection>();
  private readonly settled = new Map<string, UnseenConnection>();
  private hasListened = false;
  /** A server that has answered its first request begins nothing any more that a request depends on. */
  private hasBegun = false;

  /** Takes a socket that is about to connect. */
  add(socket: Socket, connection: UnseenConnection): void {
    if (this.hasBegun) return;
    this.opened.set(socket, connection);
    if (this.opened.size > EARLY_SOCKETS_MAX) this.settle();
    for (const [oldest] of this.opened) {
      if (this.opened.size <= EARLY_SOCKETS_MAX) break;
      this.opened.delete(oldest);
    }
  }

  /** Takes a name that is asked for: whoever asks waits for the answer. */
  addName(name: UnseenConnection): void {
    if (!this.hasBegun && this.asked.size < EARLY_SOCKETS_MAX) this.asked.add(name);
  }

  /** A server is about to listen. */
  listens(): void {
    this.hasListened = true;
    if (!this.hasBegun) this.settle();
  }

  /** A run begins: what its program may have waited for. */
  beforeRun(): readonly UnseenConnection[] {
    // What runs before that, as a call that sets the program up, does not end its start.
    if (this.hasListened) this.hasBegun = true;
    else this.settle();
    if (this.hasBegun) this.forget();
    return [...this.settled.values()];
  }

  private settle(): void {
    for (const [socket, connection] of this.opened) {
      if (wasConnected(socket)) this.keep(connection);
      if (wasConnected(socket) || socket.destroyed) this.opened.delete(socket);
    }
    for (const name of this.asked) this.keep(name);
    this.asked.clear();
  }

  private keep(connection: UnseenConnection): void {
    if (this.settled.size < EARLY_SOCKETS_MAX)
      this.settled.set(`${connection.place} ${connection.package}`, connection);
  }

  private forget(): void {
    this.opened.clear();
    this.asked.clear();
  }
}
