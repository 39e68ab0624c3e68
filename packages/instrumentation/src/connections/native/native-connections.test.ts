import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NativeConnections } from './native-connections.ts';

let server: Server;
let port: number;
const sockets: Socket[] = [];

beforeEach(async () => {
  server = createServer((socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
});

async function connect(before: (socket: Socket) => void = () => undefined): Promise<Socket> {
  const socket = new Socket();
  sockets.push(socket);
  before(socket);
  const accepted = once(server, 'connection');
  socket.connect(port, '127.0.0.1');
  await accepted;
  return socket;
}

describe.skipIf(process.platform !== 'linux')('connections that no socket of Node.js stands for, on Linux', () => {
  it('are told once, with where they lead, and not what a server has accepted', async () => {
    const connections = new NativeConnections();
    connections.settle();
    expect(connections.look()).toEqual([]);
    // Nobody has claimed it, so that it stands for one of an add-on.
    await connect();
    expect(connections.look()).toEqual([{ host: '127.0.0.1', port }]);
    expect(connections.look()).toEqual([]);
    await connect();
    expect(connections.look()).toEqual([{ host: '127.0.0.1', port }]);
  });

  it('are none that were claimed before they connected, or were there before', async () => {
    const connections = new NativeConnections();
    await connect();
    connections.settle();
    await connect((socket) => connections.claim(socket));
    expect(connections.look()).toEqual([]);
  });

  it('are told while somebody watches, and no longer', async () => {
    const connections = new NativeConnections();
    connections.settle();
    const exits = process.listenerCount('exit');
    const found = new Promise((resolve) => connections.watch(resolve));
    expect([connections.isWatching, process.listenerCount('exit')]).toEqual([true, exits + 1]);
    await connect();
    expect(await found).toEqual([{ host: '127.0.0.1', port }]);
    connections.unwatch();
    expect([connections.isWatching, process.listenerCount('exit')]).toEqual([false, exits]);
  });
});
