import { EventEmitter, once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type * as newest from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorFacts, patchHttp, recordThenServe } from './http-suite.ts';
import { ScriptedServer } from './scripted-server.ts';

/** The copy of undici that is tested. */
let undici: typeof newest;

const pieces = ['first ', Buffer.from([0, 255, 128, 10]), 'é'.repeat(500), ' last'];

function inPieces(): Promise<ScriptedServer> {
  return ScriptedServer.start((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain', date: 'today', 'x-one': ['a', 'b'], trailer: 'x-sum' });
    const next = (index: number): void => {
      const piece = pieces[index];
      if (piece !== undefined) return void response.write(piece, () => setImmediate(() => next(index + 1)));
      response.addTrailers({ 'x-sum': '42' });
      response.end();
    };
    next(0);
  });
}

class Collector extends Writable {
  readonly chunks: Buffer[] = [];
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.chunks.push(chunk);
    done();
  }
}

type Act = (url: string) => Promise<unknown>;

const ways: readonly (readonly [string, Act])[] = [
  [
    'request',
    async (url) => {
      const { statusCode, statusText, headers, trailers, body } = await undici.request(`${url}/p?a=1`);
      const bytes = await buffer(body);
      return {
        statusCode,
        statusText,
        headers,
        trailers,
        bytes: bytes.toString('latin1'),
        kind: body.constructor.name,
      };
    },
  ],
  [
    'request with raw headers and its body as text',
    async (url) => {
      const { headers, body } = await undici.request(url, { responseHeaders: 'raw', query: { a: 'b c', d: [1, 2] } });
      return { headers, text: await body.text() };
    },
  ],
  [
    'stream',
    async (url) => {
      const into = new Collector();
      const done = await undici.stream(url, { method: 'GET', opaque: { id: 7 } }, ({ statusCode, headers, opaque }) => {
        into.chunks.push(Buffer.from(JSON.stringify([statusCode, headers, opaque])));
        return into;
      });
      return [done, into.chunks.map((chunk) => chunk.toString('latin1'))];
    },
  ],
  [
    'pipeline',
    async (url) => {
      const heads: unknown[] = [];
      const duplex = undici.pipeline(url, { method: 'POST' }, ({ statusCode, headers, body }) => {
        heads.push(statusCode, headers);
        return body;
      });
      duplex.end('through the pipe');
      return [await text(duplex), heads];
    },
  ],
  [
    'fetch',
    async (url) => {
      const response = await undici.fetch(url, { method: 'POST', body: new URLSearchParams({ a: 'é' }) });
      const kind = response instanceof undici.Response;
      return [response.status, [...response.headers], await response.text(), response.url, response.redirected, kind];
    },
  ],
  [
    'a pool',
    async (url) => {
      const pool = new undici.Pool(url);
      const { body, headers } = await pool.request({ path: '/pool', method: 'GET', headers: ['x-a', '1'] });
      const said = await body.text();
      await pool.close();
      return [said, headers];
    },
  ],
  [
    'a client',
    async (url) => {
      const client = new undici.Client(url);
      const { body } = await client.request({ path: '/client', method: 'DELETE', headers: new Map([['x-a', '1']]) });
      const said = await body.text();
      await client.close();
      return said;
    },
  ],
  [
    'a composed agent',
    async (url) => {
      const agent = new undici.Agent().compose(undici.interceptors.dump({ maxSize: 10 }));
      const { statusCode } = await undici.request(url, { dispatcher: agent });
      await agent.close();
      return statusCode;
    },
  ],
];

function everyWay(): void {
  it.each(ways)('%s: recorded once, served without a connection', async (_name, act) => {
    const server = await inPieces();
    const ends = await recordThenServe(server, act);
    expect(ends.replayed).toEqual(ends.recorded);
    expect(ends.player.refusals).toEqual([]);
    expect(ends.player.changed).toEqual([]);
    expect(ends.player.left).toEqual([]);
    expect(server.requests.length).toBe(1);
    expect(ends.crossings.length).toBe(1);
    expect(ends.calls.only.boundary.name).toMatch(/^(GET|POST|DELETE) 127\.0\.0\.1:\d+$/);
    expect(ends.crossings[0]?.exchanges[0]).toMatchObject({ layer: 'http', response: { status: 200 } });
  });
}

async function* parts(): AsyncGenerator<Buffer> {
  yield Buffer.from('{"a"');
  yield Buffer.from(':1}');
}

function form(): newest.FormData {
  const made = new undici.FormData();
  made.append('name', 'value');
  made.append('file', new File(['content'], 'a.txt', { type: 'text/plain' }));
  return made;
}

const headers = { 'content-type': 'application/json' };
const bodies: readonly (readonly [string, () => unknown, object])[] = [
  ['text', () => '{"a":1}', { headers }],
  ['bytes', () => Buffer.from([1, 2, 255]), {}],
  ['a stream', () => Readable.from([Buffer.from('{"a"'), Buffer.from(':1}')]), { headers }],
  ['an async iterable', () => parts(), { headers }],
  ['a blob', () => new Blob(['blob'], { type: 'text/x' }), {}],
  ['a form', () => form(), {}],
];

function everyBody(): void {
  it.each(bodies)('%s: is the input, whole, and compares equal', async (_name, body, options) => {
    const server = await ScriptedServer.start((_request, response) => void response.end('answered'));
    const ends = await recordThenServe(server, async (url) => {
      const sent = body() as string;
      const response = await undici.request(url, { method: 'POST', ...options, body: sent });
      return response.body.text();
    });
    expect(ends.replayed).toEqual(ends.recorded);
    expect(ends.player.changed).toEqual([]);
    expect(ends.calls.only.input?.payload.data).toMatch(/"body":/);
    expect(server.requests[0]?.body.length).toBeGreaterThan(0);
  });
}

function compressedBody(): void {
  it('is as on the wire for request, and decoded by undici for fetch', async () => {
    const server = await ScriptedServer.start((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('said'.repeat(100)));
    });
    const ends = await recordThenServe(
      server,
      async (url) => {
        const raw = await buffer((await undici.request(url)).body);
        return [raw.toString('base64'), await (await undici.fetch(url)).text()];
      },
      2,
    );
    expect(ends.replayed).toEqual(ends.recorded);
    expect(ends.recorded[1]).toBe('said'.repeat(100));
  });
}

const closes = (): Promise<ScriptedServer> =>
  ScriptedServer.raw((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf', () => setImmediate(() => socket.destroy()));
  });
const silent = (): Promise<ScriptedServer> => ScriptedServer.raw(() => undefined);
const caught = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'no error',
    (error: unknown) => [errorFacts(withoutAddress(error)), error instanceof undici.errors.UndiciError],
  );

/** Ports differ from run to run of a client. */
function withoutAddress(error: unknown): unknown {
  if (error instanceof Error && 'socket' in error) Reflect.deleteProperty(error, 'socket');
  return error;
}

const failures: readonly (readonly [string, () => Promise<ScriptedServer>, Act])[] = [
  ['a connection that breaks in the body', closes, async (url) => caught((await undici.request(url)).body.text())],
  ['and in a fetch', closes, async (url) => caught((await undici.fetch(url)).text())],
  ['no headers in time', silent, (url) => caught(undici.request(url, { headersTimeout: 100 }))],
  ['an abort before the answer', silent, (url) => caught(undici.request(url, { signal: AbortSignal.timeout(50) }))],
  [
    'an abort by an emitter in the body',
    closes,
    async (url) => {
      const signal = new EventEmitter();
      const { body } = await undici.request(url, { signal });
      setImmediate(() => signal.emit('abort'));
      return caught(body.text());
    },
  ],
  [
    'a body left early',
    inPieces,
    async (url) => {
      const { body } = await undici.request(url);
      const [first] = (await once(body, 'data')) as [Buffer];
      // Version 6 tells that it was.
      body.on('error', () => undefined).destroy();
      return first.toString();
    },
  ],
];

function whatFails(): void {
  it.each(failures)('%s', async (_name, start, act) => {
    const ends = await recordThenServe(await start(), act);
    expect(ends.replayed).toEqual(ends.recorded);
    expect(ends.recorded).not.toBe('no error');
    expect(ends.player.refusals).toEqual([]);
  });

  it('a body that cannot be read further', async () => {
    const server = await inPieces();
    const body = () =>
      Readable.from(
        (async function* () {
          yield Buffer.from('half');
          throw new RangeError('disk on fire');
        })(),
      );
    const ends = await recordThenServe(server, (url) => caught(undici.request(url, { method: 'POST', body: body() })));
    expect(ends.replayed).toEqual(ends.recorded);
    expect(ends.player.changed).toEqual([]);
    expect(ends.calls.only.lossy).toEqual([]);
    expect(JSON.parse(ends.crossings[0]?.input?.data ?? '')).toMatchObject({ body: { text: 'half' }, isBroken: true });
  });

  it('nobody listening', async () => {
    const server = await ScriptedServer.start(() => undefined);
    await server.stop();
    const ends = await recordThenServe(server, (url) => caught(undici.request(url)));
    expect(ends.replayed).toEqual(ends.recorded);
    expect(ends.recorded).toMatchObject([{ code: 'ECONNREFUSED' }, false]);
  });
}

/** Records and replays every way in which one copy of undici sends. */
export function describeFidelity(copy: typeof newest): void {
  undici = copy;
  let undo: () => void;
  beforeAll(() => {
    undo = patchHttp({}, undici);
  });
  afterAll(() => undo());
  describe('every way to send', everyWay);
  describe('every body', everyBody);
  describe('a compressed body', compressedBody);
  describe('what fails', whatFails);
}
