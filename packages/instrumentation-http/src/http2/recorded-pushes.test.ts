import { once } from 'node:events';
import http2, { type ClientHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { patchHttp, recordAct } from '../testdata/http-suite.ts';

const server = http2.createServer();
let url: string;
let undo: () => void;

beforeAll(async () => {
  undo = patchHttp();
  server.on('stream', (stream, { ':path': path }) => {
    if (path !== '/pushes') {
      stream.respond({ ':status': 200 });
      stream.end('plain');
      return;
    }
    stream.pushStream({ ':path': '/pushed' }, (_error, pushed) => {
      pushed.on('error', () => undefined).respond({ ':status': 200 });
      pushed.end('pushed');
      stream.respond({ ':status': 200 });
      stream.end('asked');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  undo();
  server.close();
});

/** Asks for a page that pushes nothing, then for one that does; gives the marks of both. */
async function marksOf(listen: (session: ClientHttp2Session) => void): Promise<readonly (readonly string[])[]> {
  const { calls } = await recordAct(async () => {
    const session = http2.connect(url);
    listen(session);
    try {
      for (const path of ['/plain', '/pushes']) await text(session.request({ ':path': path }));
    } finally {
      session.destroy();
    }
  }, 2);
  return calls.facts.map(({ lossy }) => lossy);
}

it('marks the request during which a stream was pushed to a listener, and no other', async () => {
  const marks = await marksOf((session) => void session.on('stream', (pushed) => pushed.resume()));
  expect(marks).toEqual([[], ['/exchanges/0/response pushed streams not kept']]);
});

it('marks nothing where nobody is told of what was pushed', async () => {
  expect(await marksOf(() => undefined)).toEqual([[], []]);
});
