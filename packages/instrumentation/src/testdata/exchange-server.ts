import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that answers every request with `answer`. */
export class ExchangeServer {
  private readonly server: Server;

  private constructor(answer: (response: ServerResponse) => unknown) {
    this.server = createServer((_request, response) => {
      void answer(response);
    });
  }

  static async start(answer: (response: ServerResponse) => unknown): Promise<ExchangeServer> {
    const made = new ExchangeServer(answer);
    await new Promise<void>((resolve) => made.server.listen(0, '127.0.0.1', resolve));
    return made;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/path?query=1`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
