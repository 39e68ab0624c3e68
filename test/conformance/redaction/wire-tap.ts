import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Stands between an exporter and a collector, and keeps every byte that went through. */
export class WireTap {
  /** Bodies of all requests, one after the other. */
  text = '';
  private readonly server: Server;

  private constructor(target: string) {
    this.server = createServer((request, response) => {
      request.toArray().then(
        async (parts) => {
          const body = Buffer.concat(parts as Buffer[]);
          this.text += `${JSON.stringify(request.headers)}\n${body.toString('utf8')}\n`;
          const headers = { 'content-type': request.headers['content-type'] ?? '' };
          const answer = await fetch(`${target}${request.url}`, { method: 'POST', headers, body });
          response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
        },
        () => response.destroy(),
      );
    });
  }

  static async start(target: string): Promise<WireTap> {
    const tap = new WireTap(target);
    await new Promise<void>((resolve) => tap.server.listen(0, '127.0.0.1', resolve));
    return tap;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
