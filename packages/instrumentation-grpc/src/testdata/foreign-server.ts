import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';

/** One call as it came over the wire. */
export interface ForeignCall {
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

/** How it answers: as a server that has no such method, with a proof of its own making, or never. */
export type ForeignAnswer = 'unimplemented' | 'forges' | 'hangs';

/** A gRPC server that Reenact knows nothing of, and which writes down every byte that reaches it. */
export class ForeignServer {
  readonly address: string;
  readonly calls: ForeignCall[];
  /** How many streams their caller has called off. */
  readonly cancelled: { count: number };
  private readonly server: Http2Server;

  private constructor(server: Http2Server, calls: ForeignCall[], cancelled: { count: number }) {
    this.server = server;
    this.calls = calls;
    this.cancelled = cancelled;
    this.address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(answer: ForeignAnswer): Promise<ForeignServer> {
    const calls: ForeignCall[] = [];
    const cancelled = { count: 0 };
    const server = createServer();
    server.on('stream', (stream, headers) => {
      stream.on('error', () => undefined);
      stream.on('aborted', () => {
        cancelled.count += 1;
      });
      void stream.toArray().then(
        (parts) => {
          calls.push({ path: String(headers[':path']), headers: { ...headers }, body: Buffer.concat(parts) });
          respond(stream, answer);
        },
        () => undefined,
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new ForeignServer(server, calls, cancelled);
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => this.server.close(resolve));
  }
}

function respond(stream: ServerHttp2Stream, answer: ForeignAnswer): void {
  if (answer === 'hangs' || stream.destroyed) return;
  const forged = { 'grpc-status': '0', 'reenact-joined': 'made up' };
  const said = answer === 'forges' ? forged : { 'grpc-status': '12', 'grpc-message': 'unknown method' };
  stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...said }, { endStream: true });
}
