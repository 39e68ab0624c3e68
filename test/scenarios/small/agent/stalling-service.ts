// Says nothing of signals, as most services do, and is held up by the system just when its answer has left.
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tool } from 'reenact';

const HELD_UP_MS = 300;
const quote = tool('quote', async (symbol: string) => ({ symbol, price: 190 }), { effect: 'read' });

/** After each write that leaves this socket, the process stands still. */
function holdUp(socket: Socket): void {
  for (const name of ['_write', '_writev'] as const) {
    const write: unknown = Reflect.get(socket, name);
    if (typeof write !== 'function') continue;
    Reflect.set(socket, name, (...parameters: unknown[]) => {
      Reflect.apply(write, socket, parameters);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, HELD_UP_MS);
    });
  }
}

const server = createServer(async (_request, response) => {
  const answer = await quote('ACME');
  if (response.socket !== null) holdUp(response.socket);
  response.end(JSON.stringify(answer));
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })));
