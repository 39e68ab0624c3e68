import type { Server, Socket } from 'node:net';

/**
 * Knows every connection of a server, those that are not encrypted yet as well. What ends the connections of a server knows none whose handshake is not
 * through, and waits for the other side of one that has said nothing over HTTP/2: each held a stop up for as long as its sender liked.
 */
export class OpenSockets {
  private readonly open = new Set<Socket>();

  /** Knows those that `server` gets from now on. */
  watch(server: Server): void {
    server.prependListener('connection', (socket: Socket) => {
      this.open.add(socket);
      socket.once('close', () => this.open.delete(socket));
    });
  }

  /** Ends all of them, whatever was to be sent. */
  destroy(): void {
    for (const socket of this.open) socket.destroy();
  }
}
