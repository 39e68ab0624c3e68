import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { fileURLToPath } from 'node:url';
import type { RunningCollector } from '@reenact/collector';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Testbed } from '../testbed.ts';

const pathOf = (name: string) => fileURLToPath(new URL(`certificates/${name}.pem`, import.meta.url));
const TLS = { certificateFile: pathOf('server'), keyFile: pathOf('server-key') };
const ca = readFileSync(pathOf('ca'));
const LARGE_BYTES = 8 * 1024 * 1024;

const testbed = new Testbed();
let plain: RunningCollector;
let encrypted: RunningCollector;
beforeAll(async () => {
  plain = await testbed.start();
  encrypted = await testbed.start({ tls: TLS });
});
afterAll(() => testbed.dispose());

const portOf = (url: string) => Number(new URL(url).port);
const grpcPortOf = ({ grpcUrl }: RunningCollector) => portOf(grpcUrl);
const httpPortOf = ({ httpUrl }: RunningCollector) => portOf(httpUrl);

/** What a sender reads that posts so much to a port without encryption. */
async function post(port: number, bytes: number) {
  const body = Buffer.alloc(bytes);
  const answer = await fetch(`http://127.0.0.1:${port}/v1/traces`, { method: 'POST', body });
  return { status: answer.status, body: await answer.json() };
}

const refused = (message: string, next: string) => ({
  status: 503,
  body: {
    error: { code: 'bad-request', message: expect.stringContaining(message), next: expect.stringContaining(next) },
  },
});

const untilClosed = async (socket: Socket): Promise<string> => {
  let read = '';
  socket.on('data', (chunk: Buffer) => {
    read += chunk.toString('latin1');
  });
  socket.on('error', () => undefined);
  await once(socket, 'close');
  return read;
};

/** Passes on to a port what comes, a byte at a time as far as its first few. */
async function inPieces(port: number): Promise<{ readonly port: number; readonly server: Server }> {
  const server = createServer((from) => {
    const to = connect({ port, host: '127.0.0.1', noDelay: true });
    from.on('error', () => to.destroy());
    to.on('error', () => from.destroy());
    to.pipe(from);
    from.once('data', async (bytes: Buffer) => {
      from.pause();
      for (const byte of bytes.subarray(0, 6)) await new Promise((resolve) => to.write(Buffer.from([byte]), resolve));
      to.write(bytes.subarray(6));
      from.pipe(to);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { port: (server.address() as AddressInfo).port, server };
}

describe('a sender over plain HTTP', () => {
  it.each([
    ['of OTLP/gRPC', () => grpcPortOf(plain), 'no HTTP/2', 'OTLP/HTTP to httpPort (4318 unless set)'],
    ['of OTLP/gRPC over TLS', () => grpcPortOf(encrypted), 'plain HTTP', 'httpPort (4318 unless set) with https://'],
    ['of OTLP/HTTP over TLS', () => httpPortOf(encrypted), 'plain HTTP', 'to this port with https://'],
  ])(
    'is answered at the port %s which one to use, and how, also where it sends much',
    async (_, port, message, next) => {
      expect(await post(port(), 2)).toEqual(refused(message, next));
      expect(await post(port(), LARGE_BYTES)).toEqual(refused(message, next));
    },
  );

  it('is answered where its first bytes come one by one', async () => {
    const pieces = await inPieces(grpcPortOf(plain));
    expect(await post(pieces.port, 100)).toMatchObject({ status: 503 });
    pieces.server.close();
  });
});

describe('a sender over HTTP/2, as of gRPC', () => {
  it('hears at a port over TLS that it has to encrypt', async () => {
    for (const [url, next] of [
      [encrypted.grpcUrl, 'OTLP/gRPC to this port with https://'],
      [encrypted.httpUrl, 'OTLP/gRPC to grpcPort (4317 unless set) with https://'],
    ] as const) {
      const session = connectHttp2(url.replace('https:', 'http:'));
      session.on('error', () => undefined);
      const [, , data] = (await once(session, 'goaway')) as [number, number, Buffer];
      expect(data.toString()).toContain(next);
      session.destroy();
    }
  });

  it('is served where its first bytes come one by one, and over TLS', async () => {
    const pieces = await inPieces(grpcPortOf(plain));
    const encryptedPieces = await inPieces(grpcPortOf(encrypted));
    for (const session of [
      connectHttp2(`http://127.0.0.1:${pieces.port}`),
      connectHttp2(`https://localhost:${encryptedPieces.port}`, { ca }),
    ]) {
      await once(session, 'remoteSettings');
      session.destroy();
    }
    pieces.server.close();
    encryptedPieces.server.close();
  });
});

describe('a sender over TLS', () => {
  it('is answered at the port of OTLP/gRPC in HTTP over TLS where it speaks HTTP/1.1, too', async () => {
    const socket = connectTls({ port: grpcPortOf(encrypted), host: '127.0.0.1', ca });
    await once(socket, 'secureConnect');
    socket.write('POST /v1/traces HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}');
    const read = await untilClosed(socket);
    expect(read).toMatch(/^HTTP\/1\.1 503 /);
    expect(read).toContain('httpPort');
  });

  it('gets no frames of HTTP/2 from a port that is not encrypted', async () => {
    const socket = connect(grpcPortOf(plain), '127.0.0.1');
    socket.write(Buffer.from([0x16, 3, 1, 0, 184, 1, 0, 0]));
    expect(await untilClosed(socket)).toMatch(/^HTTP\/1\.1 503 .*httpPort/s);
  });
});

it('a connection that brings nothing holds up no stop', async () => {
  const running = await testbed.start({ tls: TLS, limits: { stopGraceMs: 60_000 } });
  const sockets = [httpPortOf(running), grpcPortOf(running)].map((port) => connect(port, '127.0.0.1'));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const closed = sockets.map(untilClosed);
  await running.stop();
  expect(await Promise.all(closed)).toEqual(['', '']);
});
