import http, { type ClientRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BothEnds, patchHttp, recordThenServe } from '../testdata/http-suite.ts';
import { logOf } from '../testdata/request-log.ts';
import { ScriptedServer } from '../testdata/scripted-server.ts';

let undo: () => void;
beforeAll(() => {
  undo = patchHttp();
});
afterAll(() => undo());

/** What came over the wire, without the server or a socket: the same events with the same values in the same order. */
function expectSame(ends: BothEnds<unknown>): void {
  expect(ends.replayed).toEqual(ends.recorded);
  expect(ends.player.refusals).toEqual([]);
  expect(ends.player.changed).toEqual([]);
}

/** Writes the pieces one by one, each in a packet of its own. */
function inPieces(pieces: readonly (string | Buffer)[]): http.RequestListener {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'x-one': ['a', 'b'], trailer: 'x-sum' });
    const next = (index: number): void => {
      const piece = pieces[index];
      if (piece === undefined) {
        response.addTrailers({ 'x-sum': '42' });
        response.end();
        return;
      }
      response.write(piece, () => setImmediate(() => next(index + 1)));
    };
    next(0);
  };
}

describe('a chunked response', () => {
  it('comes back with its events, headers, chunk boundaries and trailers', async () => {
    const pieces = ['first', Buffer.from([0, 255, 128, 10]), 'é'.repeat(500), 'last'];
    const ends = await recordThenServe(await ScriptedServer.start(inPieces(pieces)), (url) =>
      logOf(http.get(`${url}/path?a=1#part`)),
    );
    expectSame(ends);
    expect(ends.recorded).toContainEqual(['trailers', ['x-sum', '42'], true]);
    const [exchange] = ends.crossings[0]?.exchanges ?? [];
    expect(exchange).toMatchObject({ layer: 'http', response: { status: 200, end: 'complete', httpVersion: '1.1' } });
    expect(exchange?.response?.chunks.length).toBe(pieces.length);
    expect(ends.calls.only.boundary).toMatchObject({ kind: 'http', effect: 'read' });
    expect(ends.calls.only.boundary.name).toMatch(/^GET 127\.0\.0\.1:\d+$/);
  });
});

describe('framings', () => {
  it.each([
    ['no body', 'HTTP/1.1 204 No Content\r\nx-a: 1\r\n\r\n'],
    ['a body of no length', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'],
    ['a body of known length', 'HTTP/1.1 200 Fine\r\nContent-Length: 5\r\nX-Odd: \u00e9\r\n\r\nhello'],
    ['an old body until the close', 'HTTP/1.0 200 OK\r\nServer: old\r\n\r\nuntil the end'],
    ['an error status with a half-written body', 'HTTP/1.1 429 Slow Down\r\ncontent-length: 9\r\n\r\n{"error":'],
    ['a redirect', 'HTTP/1.1 302 Found\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n'],
    ['not modified with a length', 'HTTP/1.1 304 Not Modified\r\ncontent-length: 100\r\n\r\n'],
  ])('%s', async (_name, bytes) => {
    const server = await ScriptedServer.raw((socket) => {
      socket.write(Buffer.from(bytes, 'latin1'));
      if (bytes.startsWith('HTTP/1.0')) socket.end();
    });
    const ends = await recordThenServe(server, (url) => logOf(http.get(url)));
    expectSame(ends);
    expect(ends.recorded).toContainEqual(['response end', undefined]);
  });

  it('of a HEAD request, which has a length and no body', async () => {
    const server = await ScriptedServer.raw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
    });
    expectSame(await recordThenServe(server, (url) => logOf(http.request(url, { method: 'HEAD' }).end())));
  });
});

type Send = (url: string) => ClientRequest;

const shapes: readonly (readonly [string, Send])[] = [
  ['a URL object', (url) => http.get(new URL(url))],
  ['a URL and options', (url) => http.get(url, { headers: { 'x-a': '1' }, path: '/other' })],
  ['options', (url) => http.get({ host: '127.0.0.1', port: new URL(url).port, path: '/p' })],
  ['an agent that keeps alive', (url) => http.get(url, { agent: new http.Agent({ keepAlive: true }) })],
  ['no agent', (url) => http.get(url, { agent: false })],
  ['a body in one piece', (url) => http.request(url, { method: 'POST' }).end('{"a":1}')],
  [
    'a body in several pieces and encodings',
    (url) => {
      const request = http.request(url, { method: 'PUT' });
      request.setHeader('content-type', 'application/octet-stream');
      request.write('00ff', 'hex');
      request.write(Buffer.from('middle'));
      return request.end('end', () => undefined);
    },
  ],
];

describe('every way to send', () => {
  it.each(shapes)('with %s', async (_name, send) => {
    const server = await ScriptedServer.start((_request, response) => void response.end('answered'));
    const ends = await recordThenServe(server, (url) => logOf(send(url)));
    expectSame(ends);
    expect(server.requests.length).toBe(1);
    expect(ends.recorded).toContainEqual(['response data', 'answered']);
  });
});
