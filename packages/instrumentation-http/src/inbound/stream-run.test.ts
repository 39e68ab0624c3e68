import http from 'node:http';
import http2, { type Http2Server, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { text } from 'node:stream/consumers';
import { context, trace } from '@opentelemetry/api';
import { gate, tool } from '@reenact/instrumentation';
import { RecordedCalls, TapePlayer } from '@reenact/instrumentation/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patchHttp } from '../testdata/http-suite.ts';
import {
  clientStreams,
  type StreamExchange,
  type StreamListener,
  startStreamService,
} from '../testdata/stream-service.ts';
import type { HttpInstrumentationConfig } from '../types.ts';

const config: HttpInstrumentationConfig = { inbound: true, outbound: false, ignore: ({ url }) => url === '/healthz' };
let undo: () => void;
beforeAll(() => {
  undo = patchHttp(config);
});
afterAll(() => undo());

const look = tool('look_up', async (what: string) => `found ${what}`);

function core(listener: StreamListener): Http2Server {
  return http2.createServer().on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    listener(stream, headers);
  });
}

function compatible(listener: (request: Http2ServerRequest, response: Http2ServerResponse) => void): Http2Server {
  return http2.createServer(listener);
}

async function record(
  make: () => Http2Server,
  exchanges: readonly StreamExchange[],
  count: number,
): Promise<{ calls: RecordedCalls; seen: unknown[] }> {
  const calls = new RecordedCalls();
  const detach = calls.attach();
  const service = await startStreamService(make());
  const seen = await clientStreams(service.url, exchanges);
  await calls.settled(count);
  await service.stop();
  detach();
  return { calls, seen: JSON.parse(JSON.stringify(seen)) };
}

async function replayed(calls: RecordedCalls, make: () => Http2Server, exchanges: readonly StreamExchange[]) {
  const player = new TapePlayer(calls.crossings());
  const { seen } = await player.during(() => record(make, exchanges, calls.facts.length));
  return { player, seen };
}

const ask: StreamExchange = {
  headers: {
    ':method': 'POST',
    ':path': '/ask?a=1&api_key=sk-secret',
    'content-type': 'application/json',
    authorization: 'Bearer sk-secret',
    'x-tenant': 'acme',
  },
  body: '{"q":"price"}',
};

const json = { 'content-type': 'application/json', 'x-id': 'random', 'retry-after': '1' };

const answeringCore = (): Http2Server =>
  core((stream) => {
    void text(stream).then(async (body) => {
      const found = await look(body);
      stream.respond({ ':status': 201, ...json });
      stream.write('{"found":');
      stream.end(`${JSON.stringify(found)}}`);
    });
  });

const answeringCompatible = (): Http2Server =>
  compatible((request, response) => {
    void text(request).then(async (body) => {
      const found = await look(body);
      response.writeHead(201, json);
      response.write('{"found":');
      response.end(`${JSON.stringify(found)}}`);
    });
  });

const interfaces: readonly (readonly [string, () => Http2Server])[] = [
  ['stream', answeringCore],
  ['request', answeringCompatible],
];

describe.each(interfaces)('a request that comes by HTTP/2 to a listener of %s', (_name, make) => {
  it('is a run with what was asked, what was answered, and everything in between below it', async () => {
    const { calls } = await record(make, [ask], 2);
    const [inner, run] = calls.facts;
    expect(run).toMatchObject({
      boundary: { kind: 'agent', name: 'POST /ask', policy: { name: 'http-request/1' } },
      spanKind: 1,
      parentCrossing: undefined,
      slim: {
        'http.request.method': 'POST',
        'http.response.status_code': 201,
        'network.protocol.version': '2',
        'server.address': '127.0.0.1',
        'url.path': '/ask',
        'url.scheme': 'http',
      },
    });
    expect(inner).toMatchObject({ boundary: { name: 'look_up' }, parentCrossing: run?.spanContext.spanId });
    const input = JSON.parse(run?.input?.payload.data ?? '');
    expect(input).toMatchObject({ method: 'POST', contentType: 'application/json', body: { text: '{"q":"price"}' } });
    expect(input.headers).toContainEqual(['x-tenant', 'acme']);
    expect(JSON.stringify(input.headers)).not.toMatch(/sk-secret|":/);
    expect(JSON.parse(run?.outcome.value?.payload.data ?? '')).toEqual({
      status: 201,
      headers: { 'content-type': 'application/json', 'retry-after': '1' },
      body: { json: { found: 'found {"q":"price"}' } },
    });
  });

  it('is answered as without us, whatever is asked', async () => {
    const exchanges: StreamExchange[] = [
      ask,
      { headers: { ':path': '/healthz' } },
      { headers: { ':method': 'HEAD' } },
      { headers: { ':path': '*', ':method': 'OPTIONS' } },
    ];
    const recorded = await record(make, exchanges, 7);
    undo();
    const bare = await record(make, exchanges, 4);
    undo = patchHttp(config);
    expect(recorded.seen).toEqual(bare.seen);
    const runs = recorded.calls.facts.filter(({ boundary }) => boundary.kind === 'agent');
    expect(runs.map(({ boundary }) => boundary.name)).toEqual(['POST /ask', 'HEAD /', 'OPTIONS *']);
    expect(JSON.stringify(runs[1]?.outcome)).not.toContain('found');
  });
});

describe.each(interfaces)('a replayed request that comes by HTTP/2 to a listener of %s', (_name, make) => {
  it('runs its code again over what was recorded, and its answer is compared', async () => {
    const { calls, seen } = await record(make, [ask], 2);
    const again = await replayed(calls, make, [ask]);
    expect(again.seen).toEqual(seen);
    expect([again.player.changed, again.player.refusals, again.player.left]).toEqual([[], [], []]);
    expect(again.player.outcomes[0]).toMatchObject({ type: 'returned', value: calls.facts[1]?.outcome.value });
  });

  it('arrives whole with a large body, and a changed one is seen', async () => {
    const body = 'x'.repeat(1_000_000);
    const large: StreamExchange = { headers: { ':method': 'PUT' }, body };
    const { calls, seen } = await record(make, [large], 2);
    const again = await replayed(calls, make, [large]);
    expect([again.seen, again.player.changed]).toEqual([seen, []]);
    const other = await replayed(calls, make, [{ ...large, body: `${body}y` }]);
    expect(other.player.changed).toEqual(['PUT /', 'look_up']);
  });

  it('that nobody recorded is refused and reaches no listener', async () => {
    const { seen } = await new TapePlayer([]).during(() => record(make, [ask], 0));
    expect(JSON.stringify(seen)).toMatch(/":status":500.*replay-refused/);
  });
});

describe.each(interfaces)('requests that come by HTTP/2 to a listener of %s', (_name, make) => {
  it('keep apart where they run at the same time', async () => {
    const calls = new RecordedCalls();
    const detach = calls.attach();
    const service = await startStreamService(make());
    const asking = Array.from({ length: 20 }, (_, index) =>
      clientStreams(service.url, [{ headers: { ':method': 'POST', ':path': `/${index}` }, body: `${index}` }]),
    );
    await Promise.all(asking);
    await calls.settled(40);
    detach();
    await service.stop();
    const runs = new Map(calls.facts.map((facts) => [facts.spanContext.spanId, facts.boundary.name]));
    for (const { parentCrossing, input } of calls.facts.filter(({ boundary }) => boundary.kind === 'tool')) {
      const [asked] = JSON.parse(input?.payload.data ?? '') as [string];
      expect(runs.get(parentCrossing ?? '')).toBe(`POST /${asked}`);
    }
  });

  it('are answered as without us where the gate fails', async () => {
    const fail = (): never => {
      throw new TypeError('ours');
    };
    gate.configure({ recorder: { record: fail }, tracerProvider: { getTracer: fail } });
    const service = await startStreamService(make());
    const failing = await clientStreams(service.url, [ask]);
    await service.stop();
    gate.configure({ recorder: undefined, tracerProvider: undefined });
    undo();
    const bare = await record(make, [ask], 1);
    undo = patchHttp(config);
    expect(JSON.parse(JSON.stringify(failing))).toEqual(bare.seen);
  });
});

describe('the context of a stream', () => {
  it('reaches listeners of both interfaces, of the answer, and of what is pushed', async () => {
    const seen: (string | undefined)[] = [];
    const note = (): void => void seen.push(trace.getSpan(context.active())?.spanContext().spanId);
    const make = (): Http2Server =>
      http2.createServer((request, response) => {
        request.on('data', note).on('end', () => {
          note();
          response.on('close', note);
          response.createPushResponse({ ':path': '/style' }, (_error, pushed) => {
            note();
            pushed.on('close', note);
            pushed.end('pushed');
            response.end();
          });
        });
      });
    const { calls } = await record(make, [{ headers: { ':method': 'POST' }, body: 'some' }], 1);
    expect(seen.length).toBe(5);
    expect(new Set(seen)).toEqual(new Set([calls.only.spanContext.spanId]));
  });
});

describe('a request that is handed on', () => {
  it('to a server of HTTP/1 is one run', async () => {
    const inner = http.createServer((request, response) => void text(request).then((body) => response.end(body)));
    const make = (): Http2Server => compatible((request, response) => void inner.emit('request', request, response));
    const { calls } = await record(make, [ask], 1);
    expect(calls.facts.map(({ boundary }) => boundary.name)).toEqual(['POST /ask']);
  });
});
