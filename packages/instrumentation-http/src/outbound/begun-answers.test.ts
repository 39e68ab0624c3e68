import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createSocketServer, type Server as SocketServer } from 'node:net';
import { RecordedCalls } from '@reenact/instrumentation/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { patchHttp } from '../testdata/http-suite.ts';

let undo: () => void;
let upstream: SocketServer;
let url: string;

/** Answers with a first piece, and never ends; no server of HTTP, whose runs would be recorded, too. */
function answerWithoutEnd(): SocketServer {
  return createSocketServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nfirst\r\n'));
  });
}

async function portOf(server: Server | SocketServer): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  undo = patchHttp({ inbound: true });
  upstream = answerWithoutEnd();
  url = `http://127.0.0.1:${await portOf(upstream)}/`;
});

afterAll(() => {
  undo();
  upstream.close();
});

/** Asks over a bare socket, for a client of HTTP would be recorded. Resolves with the status line. */
async function askBare(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return bytes.toString('latin1').split('\r\n', 1)[0] ?? '';
}

const readers: Readonly<Record<string, (response: Response) => Promise<unknown>>> = {
  text: (response) => response.text(),
  'for await': async ({ body }) => {
    for await (const _ of body ?? []);
  },
};

const cases = Object.keys(readers).flatMap((how) => [0, 1, 2, 3, 5, 10].map((microtasks) => ({ how, microtasks })));

it.each(cases)(
  'an answer is told to be read on that a handler has begun to read $microtasks microtasks before its own ends ($how)',
  async ({ how, microtasks }) => {
    const calls = new RecordedCalls();
    const detach = calls.attach();
    const leaving = new AbortController();
    const service = createServer(async (_request, answer) => {
      const response = await fetch(url, { signal: leaving.signal });
      void readers[how]?.(response).catch(() => undefined);
      for (let passed = 0; passed < microtasks; passed += 1) await undefined;
      answer.writeHead(502).end();
    });
    try {
      expect(await askBare(await portOf(service))).toBe('HTTP/1.1 502 Bad Gateway');
      await calls.settled(2);
      expect(calls.facts.map(({ boundary, outlivesRun }) => [boundary.kind, outlivesRun])).toEqual([
        ['agent', undefined],
        ['http', 'waiting'],
      ]);
    } finally {
      detach();
      leaving.abort();
      service.close();
    }
  },
);
