import { once } from 'node:events';
import http2, { type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Peer } from '../fidelity-library.ts';
import { PLAIN_CHUNKS } from './plain-peer.ts';

/** What runs beside the gate must give the very same, whatever the clock says. The types of Node lack it. */
const undated = { endStream: false, sendDate: false };

/** Sends the chunks a turn apart, so that each is a frame of its own. */
async function sendChunks(stream: ServerHttp2Stream): Promise<void> {
  stream.respond({ ':status': 200, 'content-type': 'application/octet-stream' }, undated);
  for (const chunk of PLAIN_CHUNKS) {
    stream.write(chunk);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A server of HTTP/2 without encryption on a free port; the path chooses its mood. */
class Http2Peer implements Peer {
  contacts = 0;
  private readonly server: Http2Server = http2.createServer();
  private readonly sessions = new Set<{ destroy(): void }>();
  private readonly numbers = new Map<string, number>();
  private held: (() => Promise<unknown>)[] = [];

  constructor() {
    this.server.on('session', (session) => {
      this.contacts += 1;
      this.sessions.add(session);
      session.on('error', () => undefined);
    });
    this.server.on('stream', (stream, headers) => {
      this.contacts += 1;
      stream.on('error', () => undefined);
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => void this.answer(stream, String(headers[':path']), Buffer.concat(parts).toString()));
    });
  }

  async listen(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private async answer(stream: ServerHttp2Stream, path: string, body: string): Promise<void> {
    const number = this.numbers.get(path) ?? 0;
    this.numbers.set(path, number + 1);
    switch (path) {
      case '/hangs':
        return;
      case '/stream':
        await sendChunks(stream);
        stream.end();
        return;
      case '/endless':
        return sendChunks(stream);
      case '/breaks':
        await sendChunks(stream);
        stream.destroy(new RangeError('broken'));
        return;
      case '/first':
      case '/second':
      case '/third':
        return this.holdBack(stream, path);
      case '/limited':
        if (number > 0) break;
        stream.respond({ ':status': 429, 'retry-after': '0' }, undated);
        stream.end('slow down');
        return;
    }
    const headers = { ':status': 200, 'x-twice': ['a', 'b'] };
    stream.respond(headers, { ...undated, waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'x-sum': '42' }));
    stream.end(JSON.stringify({ path, body }));
  }

  /** Three answers, the last first, each when the one before has been read. */
  private async holdBack(stream: ServerHttp2Stream, path: string): Promise<void> {
    this.held.push(() => {
      stream.respond({ ':status': 200 }, undated);
      stream.end(path);
      return once(stream, 'close');
    });
    if (this.held.length < 3) return;
    for (const give of this.held.splice(0).reverse()) await give();
  }

  async stop(): Promise<void> {
    for (const session of this.sessions) session.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** Starts it. */
export function startHttp2Peer(): Promise<Peer> {
  return new Http2Peer().listen();
}
