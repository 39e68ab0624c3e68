import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Server as SocketServer, type Socket } from 'node:net';

/** One request as the server got it. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A real server on a free port; counts what reaches it. */
export class ScriptedServer {
  readonly requests: SeenRequest[] = [];
  readonly port: number;
  private readonly server: Server | SocketServer;
  private readonly sockets = new Set<Socket>();

  private constructor(server: Server | SocketServer) {
    this.server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Answers whole requests. */
  static async start(answer: RequestListener): Promise<ScriptedServer> {
    const server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('error', () => undefined);
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        made.requests.push({ method, url, headers, body: Buffer.concat(parts).toString('latin1') });
        void answer(request, response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const made = new ScriptedServer(server);
    return made;
  }

  /** Speaks bytes: `answer` gets each connection with the first bytes that came over it. */
  static async raw(answer: (socket: Socket, bytes: Buffer) => void): Promise<ScriptedServer> {
    const server = createSocketServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        made.requests.push({ method: '', url: '', headers: {}, body: bytes.toString('latin1') });
        answer(socket, bytes);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const made = new ScriptedServer(server);
    return made;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
