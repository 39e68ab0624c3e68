import http2, { type ClientHttp2Stream, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { fileURLToPath } from 'node:url';
import { RecordedCalls, TapePlayer } from '@reenact/instrumentation/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patchHttp } from '../testdata/http-suite.ts';
import {
  clientStreams,
  type StreamExchange,
  type StreamListener,
  startStreamService,
} from '../testdata/stream-service.ts';

const { NGHTTP2_CANCEL, NGHTTP2_ENHANCE_YOUR_CALM } = http2.constants;
const thisFile = fileURLToPath(import.meta.url);

let undo: () => void;
beforeAll(() => {
  undo = patchHttp({ inbound: true, outbound: false });
});
afterAll(() => undo());

function core(listener: StreamListener): Http2Server {
  return http2.createServer().on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    listener(stream, headers);
  });
}

function trailing(stream: ServerHttp2Stream): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '5', 'x-sum': ['a', 'b'] }));
  stream.write('one ', () => setImmediate(() => stream.end('two')));
}

function pushing(stream: ServerHttp2Stream): void {
  stream.pushStream({ ':path': '/style' }, (_error, pushed) => {
    pushed.respond({ ':status': 203, 'content-type': 'text/css' });
    stream.respond({ ':status': 200 });
    stream.end('page');
    setImmediate(() => pushed.end('style'));
  });
}

function callingOff(stream: ClientHttp2Stream): void {
  stream.close(NGHTTP2_CANCEL);
}

interface Ending {
  readonly name: string;
  readonly make: () => Http2Server;
  readonly exchange?: StreamExchange;
  /** What the run's outcome is. */
  readonly outcome: unknown;
  readonly slim?: Readonly<Record<string, unknown>>;
}

const endings: readonly Ending[] = [
  {
    name: 'with trailers',
    make: () => core(trailing),
    outcome: {
      status: 200,
      headers: { 'content-type': 'application/grpc' },
      body: { text: 'one two' },
      trailers: { 'grpc-status': '5', 'x-sum': 'a, b' },
    },
  },
  {
    name: 'with trailers of a response',
    make: () =>
      http2.createServer((_request, response) => {
        response.addTrailers({ 'x-sum': '42' });
        response.end('whole');
      }),
    outcome: { status: 200, body: { text: 'whole' }, trailers: { 'x-sum': '42' } },
  },
  {
    name: 'with something pushed that ends later',
    make: () => core(pushing),
    outcome: {
      status: 200,
      body: { text: 'page' },
      pushed: [{ url: '/style', status: 203, headers: { 'content-type': 'text/css' }, body: { text: 'style' } }],
    },
  },
  {
    name: 'with nothing but a status',
    make: () => core((stream) => stream.respond({ ':status': 204 }, { endStream: true })),
    outcome: { status: 204 },
  },
  {
    name: 'after interim headers',
    make: () =>
      core((stream) => {
        stream.additionalHeaders({ ':status': 103, link: '</style>; rel=preload' });
        stream.respond({ ':status': 200 });
        stream.end('late');
      }),
    outcome: {
      interim: [{ status: 103, headers: { link: '</style>; rel=preload' } }],
      status: 200,
      body: { text: 'late' },
    },
  },
  {
    name: 'with a server error',
    make: () => http2.createServer((_request, response) => void response.writeHead(503).end()),
    outcome: { status: 503 },
    slim: { 'http.response.status_code': 503, 'error.type': '503' },
  },
  {
    name: 'by a reset in the middle',
    make: () =>
      core((stream) => {
        stream.respond({ ':status': 200 });
        stream.write('half', () => setImmediate(() => stream.close(NGHTTP2_ENHANCE_YOUR_CALM)));
      }),
    outcome: { status: 200, body: { text: 'half' }, reset: 'ENHANCE_YOUR_CALM' },
    slim: { 'http.response.status_code': 200, 'error.type': 'ENHANCE_YOUR_CALM' },
  },
  {
    name: 'by an error before any answer',
    make: () => core((stream) => void stream.destroy(new RangeError('no such order'))),
    outcome: { reset: 'INTERNAL_ERROR' },
    slim: { 'error.type': 'INTERNAL_ERROR' },
  },
];

async function run(
  make: () => Http2Server,
  exchange: StreamExchange,
): Promise<{ calls: RecordedCalls; seen: unknown }> {
  const calls = new RecordedCalls();
  const detach = calls.attach();
  const service = await startStreamService(make());
  const seen: unknown = JSON.parse(JSON.stringify(await clientStreams(service.url, [exchange])));
  await calls.settled(1);
  await service.stop();
  detach();
  return { calls, seen };
}

describe('a request of HTTP/2 that is answered', () => {
  it.each(endings)('$name', async ({ make, exchange = {}, outcome, slim = {} }) => {
    const { calls, seen } = await run(make, exchange);
    expect(calls.only.outcome.type).toBe('returned');
    expect(JSON.parse(calls.only.outcome.value?.payload.data ?? '')).toEqual(outcome);
    expect(calls.only.slim).toMatchObject(slim);
    expect(calls.only.lossy).toEqual([]);
    undo();
    const service = await startStreamService(make());
    const bare: unknown = JSON.parse(JSON.stringify(await clientStreams(service.url, [exchange])));
    await service.stop();
    undo = patchHttp({ inbound: true, outbound: false });
    expect(seen).toEqual(bare);
    const player = new TapePlayer(calls.crossings());
    const again = await player.during(() => run(make, exchange));
    expect(again.seen).toEqual(seen);
    expect(player.outcomes).toMatchObject([{ type: 'returned', value: calls.only.outcome.value }]);
  });

  it('out of a file says that its body is not kept', async () => {
    const make = (): Http2Server =>
      core((stream) => stream.respondWithFile(thisFile, { 'content-type': 'text/plain' }));
    const { calls, seen } = await run(make, {});
    expect(JSON.stringify(seen)).toContain('stream.respondWithFile');
    expect(JSON.parse(calls.only.outcome.value?.payload.data ?? '')).toEqual({
      status: 200,
      headers: { 'content-type': 'text/plain' },
    });
    expect(calls.only.lossy).toEqual([expect.stringContaining('/outcome/body')]);
  });

  it('to nobody is aborted, whether the client calls it off or its connection is gone', async () => {
    const make = (): Http2Server =>
      core((stream) => {
        stream.respond({ ':status': 200 });
        stream.write('forever');
      });
    const calledOff = await run(make, { act: callingOff });
    expect(calledOff.calls.only.outcome.type).toBe('aborted');
    const gone = await run(make, { act: (stream) => stream.session?.destroy() });
    expect(gone.calls.only.outcome.type).toBe('aborted');
  });
});

describe('a handler that throws', () => {
  it('has its run end so, and the error goes where it went', async () => {
    const server = core(() => {
      throw new RangeError('no such order');
    });
    const calls = new RecordedCalls();
    const detach = calls.attach();
    const service = await startStreamService(server);
    const thrown = new Promise((resolve) => process.once('uncaughtException', resolve));
    const client = clientStreams(service.url, [{}]);
    expect(await thrown).toBeInstanceOf(RangeError);
    await service.stop();
    await client;
    detach();
    expect(calls.only.outcome.type).toBe('threw');
  });
});
