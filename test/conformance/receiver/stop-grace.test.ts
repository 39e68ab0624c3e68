import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { afterAll, it } from 'vitest';
import { Testbed } from '../testbed.ts';

const pathOf = (name: string) => fileURLToPath(new URL(`certificates/${name}.pem`, import.meta.url));
const TLS = { certificateFile: pathOf('server'), keyFile: pathOf('server-key') };
const ca = readFileSync(pathOf('ca'));
const HALF_A_HELLO = Buffer.from([0x16, 3, 1, 0, 184, 1, 0, 0]);
/** Node.js gives a handshake two minutes. */
const stopMs = 60_000;

const testbed = new Testbed();
afterAll(() => testbed.dispose());

/** Connects, and never closes its half. */
async function connected(url: string): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), allowHalfOpen: true });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Encrypts a connection, and waits until the server greets over HTTP/2. */
async function greeted(socket: Socket): Promise<void> {
  const encrypted = connectTls({ socket, ca, host: '127.0.0.1', ALPNProtocols: ['h2'] });
  encrypted.on('error', () => undefined);
  await once(encrypted, 'data');
}

async function half(socket: Socket, grpcUrl: string, httpUrl: string): Promise<void> {
  socket.resume().write(HALF_A_HELLO);
  // Whoever comes later is served by the time this one is known.
  for (const url of [grpcUrl, httpUrl]) {
    const later = await connected(url);
    await once(
      connectTls({ socket: later, ca, host: '127.0.0.1', ALPNProtocols: ['h2', 'http/1.1'] }),
      'secureConnect',
    );
    later.destroy();
  }
}

it.each([
  ['has said nothing after its handshake with the port of gRPC', 'grpcUrl', greeted],
  ['has not gone on with its handshake with the port of gRPC', 'grpcUrl', half],
  ['has not gone on with its handshake with that of HTTP', 'httpUrl', half],
] as const)(
  'a stop waits no longer than its grace for a sender that %s and does not leave',
  async (_, port, act) => {
    const collector = await testbed.start({ tls: TLS, limits: { stopGraceMs: 100 } });
    const socket = await connected(collector[port]);
    await act(socket, collector.grpcUrl, collector.httpUrl);
    await collector.stop();
    socket.destroy();
  },
  stopMs,
);
