import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Peer } from '../fidelity-library.ts';

/** What a streamed answer consists of: text, bytes, and a message in several frames. */
async function sendPieces(socket: WebSocket): Promise<void> {
  socket.send('one ');
  socket.ping('still there?');
  socket.send(Buffer.from([0xf0, 0x9f, 0x00, 0xff]));
  for (const [index, part] of ['in ', 'several ', 'frames é'].entries()) {
    socket.send(part, { fin: index === 2 });
    await new Promise((resolve) => setImmediate(resolve));
  }
  // What is packed is on its way when this is.
  await new Promise((resolve) => socket.send('packed '.repeat(200), resolve));
}

/** Three sockets that wait for each other: the last that came is answered first, the next when that one has gone. */
class LastFirst {
  private readonly waiting: (() => void)[] = [];

  add(socket: WebSocket, answer: () => void): void {
    this.waiting.push(answer);
    socket.once('close', () => this.waiting.pop()?.());
    if (this.waiting.length === 3) this.waiting.pop()?.();
  }
}

function converse(socket: WebSocket, connection: Duplex, path: string, order: LastFirst): void {
  socket.on('error', () => undefined);
  socket.on('message', async (data, isBinary) => {
    switch (path) {
      case '/stream':
        await sendPieces(socket);
        return socket.close(4001, 'that was all');
      case '/breaks':
        return String(data) === 'enough' ? void connection.end() : sendPieces(socket);
      case '/parallel':
        return order.add(socket, () => socket.send(data, { binary: isBinary }));
      default:
        return socket.send(data, { binary: isBinary });
    }
  });
}

/** A server of WebSockets, in every mood; the path chooses. Its address is that of its HTTP. */
export async function startWebSocketPeer(): Promise<Peer> {
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: { threshold: 1000 } });
  const order = new LastFirst();
  const open = new Set<Duplex>();
  let contacts = 0;
  let limited = 0;
  const server = createServer().on('upgrade', (request, socket: Duplex, head) => {
    contacts += 1;
    open.add(socket);
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
    const path = request.url ?? '';
    if (path === '/hangs') return socket.on('end', () => socket.end()).resume();
    if (path === '/limited' && limited++ % 2 === 0)
      return socket.end('HTTP/1.1 429 Too Many Requests\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    return sockets.handleUpgrade(request, socket, head, (opened) => converse(opened, socket, path, order));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get contacts() {
      return contacts;
    },
    stop: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
