import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it } from 'vitest';
import { writePieces } from './write-pieces.ts';

it('gives up a reader that reads nothing for too long, and no other', async () => {
  const piece = 'x'.repeat(1024 * 1024);
  let made = 0;
  async function* pieces(): AsyncGenerator<string> {
    // More than sockets hold.
    for (; made < 200; made += 1) yield piece;
  }
  const server = createServer((_, response) => void writePieces(response, pieces(), 200)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  const [arrived] = await Promise.all([
    once(server, 'connection'),
    socket.pause().write('GET / HTTP/1.1\r\nhost: a\r\n\r\n'),
  ]);
  await once(arrived[0], 'close');
  expect(made).toBeGreaterThan(0);
  expect(made).toBeLessThan(200);
  socket.destroy();
  made = 0;
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  let bytes = 0;
  for await (const chunk of answer.body ?? []) bytes += chunk.length;
  expect(bytes).toBe(200 * piece.length);
  server.close();
});

it('sends a large piece as it is, and cuts no character', async () => {
  // Wherever it is cut into two, it is inside of one of these.
  const piece = ` ${'😀'.repeat(1_500_000)}`;
  async function* pieces(): AsyncGenerator<string> {
    yield* ['[', piece, piece.slice(1), ']'];
  }
  const server = createServer((_, response) => void writePieces(response, pieces())).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  expect((await answer.text()) === `[${piece}${piece.slice(1)}]`).toBe(true);
  server.close();
});
