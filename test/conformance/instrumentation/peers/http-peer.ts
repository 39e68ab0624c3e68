import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Peer } from '../fidelity-library.ts';

/** One request as the peer read it; `number` counts the requests of its path, from 0. */
export interface PeerRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly number: number;
}

/** Answers one request, byte for byte. */
export type PeerAnswer = (response: ServerResponse, request: PeerRequest) => unknown;

/** Asked last, over a connection of its own: it is answered behind all that had been sent before. */
const LAST_PATH = '/last';

async function bodyOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** A real HTTP server on a free port of this machine. */
export class HttpPeer implements Peer {
  private requests = 0;
  private readonly numbers = new Map<string, number>();
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  private constructor(answer: PeerAnswer) {
    this.server = createServer((message, response) => {
      // A caller that goes away in the middle of its request is one of the cases.
      this.answer(answer, message, response).catch(() => response.destroy());
    });
    this.server.on('clientError', () => {
      this.requests += 1;
    });
    this.server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
      socket.on('error', () => undefined);
    });
  }

  static async start(answer: PeerAnswer): Promise<HttpPeer> {
    const peer = new HttpPeer(answer);
    await new Promise<void>((resolve) => peer.server.listen(0, '127.0.0.1', resolve));
    return peer;
  }

  private async answer(answer: PeerAnswer, message: IncomingMessage, response: ServerResponse): Promise<void> {
    if (message.url === LAST_PATH) return void response.end();
    this.requests += 1;
    // What runs beside the gate must give the very same, whatever the clock says.
    response.sendDate = false;
    const path = message.url ?? '';
    const number = this.numbers.get(path) ?? 0;
    this.numbers.set(path, number + 1);
    const { method = '', headers } = message;
    await answer(response, { method, path, headers, number, body: await bodyOf(message) });
  }

  get address(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Not connections: the platform opens one again, and sends nothing over it, after a request was aborted. */
  get contacts(): number {
    return this.requests;
  }

  /** See `Peer`. */
  async caughtUp(): Promise<void> {
    const { port } = this.server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    socket.write(`GET ${LAST_PATH} HTTP/1.1\r\nhost: peer\r\nconnection: close\r\n\r\n`);
    await text(socket);
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
