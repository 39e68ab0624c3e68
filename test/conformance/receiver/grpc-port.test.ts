import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { fileURLToPath } from 'node:url';
import type { CollectorConfigInput } from '@reenact/collector';
import { afterAll, describe, expect, it } from 'vitest';
import { eventually, Testbed } from '../testbed.ts';

const pathOf = (name: string) => fileURLToPath(new URL(`certificates/${name}.pem`, import.meta.url));
const TLS = { certificateFile: pathOf('server'), keyFile: pathOf('server-key') };
const ca = readFileSync(pathOf('ca'));
const REQUEST = 'POST /v1/traces HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}';
const HELLO = Buffer.from([0x16, 3, 1, 0, 184, 1, 0, 0]);

const testbed = new Testbed();
afterAll(() => testbed.dispose());

interface Told {
  readonly event: string;
  readonly message: string;
}

/** A collector, where its gRPC port is, and what its log says. */
async function start(config: CollectorConfigInput = {}) {
  const told: Told[] = [];
  const log = (line: string) => told.push(JSON.parse(line) as Told);
  const collector = await testbed.start(config, { log });
  const { grpcUrl } = collector;
  return { collector, told, grpcUrl, target: { host: '127.0.0.1', port: Number(new URL(grpcUrl).port) } };
}

/** A way to a port that is cut once a handshake is through: neither side hears of the other any more. */
async function cutBehindHandshake(target: number): Promise<{ readonly port: number; readonly close: () => void }> {
  const sockets: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, (from) => {
    const to = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true });
    sockets.push(from, to);
    // Of TLS 1.3: the greeting, and the end of the handshake.
    let pieces = 0;
    from
      .on('error', () => undefined)
      .on('data', (bytes) => {
        pieces += 1;
        if (pieces <= 2) to.write(bytes);
      });
    to.on('error', () => undefined).on('data', (bytes) => {
      if (pieces < 2) from.write(bytes);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, close };
}

/** Sends bytes, and waits until the other side has enough of it. */
async function send(socket: Socket, bytes: string | Buffer): Promise<void> {
  const closed = once(socket, 'close');
  socket.on('error', () => undefined);
  socket.resume().write(bytes);
  await closed;
}

const refused = (message: string, next: string) => ({
  event: 'requests refused',
  transport: 'grpc',
  code: 'bad-request',
  count: 1,
  peer: '127.0.0.1',
  message: expect.stringContaining(message),
  next: expect.stringContaining(next),
});

describe('the port of OTLP/gRPC', () => {
  it.each([
    ['HTTP/1.1', REQUEST],
    ['TLS', HELLO],
  ])('tells the log of a sender that speaks %s to it', async (_, bytes) => {
    const { told, target } = await start();
    await send(connect(target), bytes);
    await eventually('the line', async () => told.length > 0);
    expect(told).toMatchObject([refused('no HTTP/2', 'httpPort')]);
  });

  it('tells the log of nobody who connects and leaves, as a probe does, and of no sender', async () => {
    const { told, target, grpcUrl } = await start();
    const probe = connect(target);
    const left = once(probe, 'close');
    probe.resume().end();
    await left;
    const session = connectHttp2(grpcUrl);
    await once(session, 'remoteSettings');
    session.destroy();
    await once(session, 'close');
    await send(connect(target), REQUEST);
    await eventually('the line of what came last', async () => told.length > 0);
    expect(told).toHaveLength(1);
  });

  it('tells the log of a sender that speaks HTTP/1.1 over TLS to it', async () => {
    const { told, target } = await start({ tls: TLS });
    await send(connectTls({ ...target, ca }), REQUEST);
    await eventually('the line', async () => told.length > 0);
    expect(told).toMatchObject([refused('no HTTP/2', 'httpPort')]);
  });

  it('waits for none that speaks something else over TLS and never closes its connection', async () => {
    const { collector, told, target } = await start({ tls: TLS });
    const way = await cutBehindHandshake(target.port);
    try {
      const socket = connectTls({ host: '127.0.0.1', port: way.port, ca });
      socket.on('error', () => undefined).resume();
      await eventually('the line', async () => told.length > 0);
      await collector.stop();
    } finally {
      way.close();
    }
  });

  it('tells the log of a sender that does not encrypt where it has to', async () => {
    const { told, target } = await start({ tls: TLS });
    await send(connect(target), REQUEST);
    await eventually('the line', async () => told.length > 0);
    expect(told).toMatchObject([refused('plain HTTP', 'https://')]);
  });
});
