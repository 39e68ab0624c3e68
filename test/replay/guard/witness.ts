import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createHttp2Server, type Http2Server } from 'node:http2';
import { type AddressInfo, createServer as createNetServer, type Server as NetServer } from 'node:net';

/** Real servers on loopback that count everything that reaches them. */
export class Witness {
  /** Connections and datagrams seen. */
  seen = 0;
  /** Requests answered. */
  requests = 0;
  /** Bytes that reached the plain TCP server. */
  bytes = '';
  private readonly http: Server;
  private readonly http2: Http2Server;
  private readonly tcp: NetServer;
  private readonly pipe: NetServer;
  private readonly udp: DatagramSocket;
  private readonly socketPath: string;

  private constructor(socketPath: string) {
    const see = (): void => {
      this.seen += 1;
    };
    this.socketPath = socketPath;
    this.http = createServer((_, response) => {
      this.requests += 1;
      response.end('answered');
    });
    this.http2 = createHttp2Server((_, response) => response.end('answered'));
    this.tcp = createNetServer((socket) => {
      socket.on('error', () => undefined);
      socket.setEncoding('utf8');
      socket.on('data', (text) => {
        this.bytes += text;
      });
      socket.write('hello');
    });
    this.pipe = createNetServer((socket) => socket.end('hello'));
    this.udp = createSocket('udp4');
    for (const server of [this.http, this.http2, this.tcp, this.pipe]) server.on('connection', see);
    this.udp.on('message', see);
  }

  /** Starts listening; `socketPath` is where the Unix socket goes. */
  static async listen(socketPath: string): Promise<Witness> {
    const witness = new Witness(socketPath);
    for (const server of [witness.http, witness.http2, witness.tcp]) {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
    }
    witness.pipe.listen(socketPath);
    await once(witness.pipe, 'listening');
    witness.udp.bind(0, '127.0.0.1');
    await once(witness.udp, 'listening');
    return witness;
  }

  /** The ports and paths, as the agent finds them in its environment. */
  environment(): NodeJS.ProcessEnv {
    const portOf = (server: Server | Http2Server | NetServer): string => String((server.address() as AddressInfo).port);
    return {
      HTTP_PORT: portOf(this.http),
      HTTP2_PORT: portOf(this.http2),
      TCP_PORT: portOf(this.tcp),
      UDP_PORT: String(this.udp.address().port),
      PIPE: this.socketPath,
    };
  }

  /** Stops listening. */
  async close(): Promise<void> {
    this.http.closeAllConnections();
    this.udp.close();
    const servers = [this.http, this.http2, this.tcp, this.pipe];
    for (const server of servers) server.close();
    await Promise.resolve();
  }
}
