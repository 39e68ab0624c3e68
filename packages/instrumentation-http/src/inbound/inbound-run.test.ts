import http, { type RequestListener } from 'node:http';
import { context, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { agent, gate, tool } from '@reenact/instrumentation';
import { RecordedCalls, TapePlayer } from '@reenact/instrumentation/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patchHttp } from '../testdata/http-suite.ts';
import { clientSees, startService } from '../testdata/run-service.ts';

/** Taken before the patch: the client of these tests is nobody's agent. */
const { request: send } = http;
let undo: () => void;
beforeAll(() => {
  undo = patchHttp({ inbound: true, ignore: (request) => request.url === '/healthz' });
});
afterAll(() => undo());

async function bodyOf(request: http.IncomingMessage): Promise<string> {
  return Buffer.concat(await request.toArray()).toString();
}

const look = tool('look_up', async (what: string) => `found ${what}`);

const answering: RequestListener = (request, response) => {
  void bodyOf(request).then(async (body) => {
    const found = await look(body);
    response.setHeader('content-type', 'application/json');
    response.writeHead(201, { 'x-id': 'random', 'retry-after': '1' });
    response.write('{"found":');
    response.end(`${JSON.stringify(found)}}`);
  });
};

interface Exchange {
  readonly path?: string;
  readonly options?: http.RequestOptions;
  readonly body?: string;
}

async function record(
  listener: RequestListener,
  exchanges: readonly Exchange[],
): Promise<{ calls: RecordedCalls; seen: unknown[] }> {
  const service = await startService(listener);
  const calls = new RecordedCalls();
  const detach = calls.attach();
  const seen: unknown[] = [];
  for (const { path = '/', options, body } of exchanges) {
    seen.push(await clientSees(send, `${service.url}${path}`, options, body));
  }
  await service.stop();
  detach();
  return { calls, seen };
}

const ask: Exchange = {
  path: '/ask?a=1&api_key=sk-secret',
  options: {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sk-secret', 'x-tenant': 'acme' },
  },
  body: '{"q":"price"}',
};

describe('a request that a server answers', () => {
  it('is a run with what was asked, what was answered, and everything in between below it', async () => {
    const { calls } = await record(answering, [ask]);
    const [inner, run] = calls.facts;
    expect(run).toMatchObject({
      boundary: { kind: 'agent', name: 'POST /ask', policy: { name: 'http-request/1' } },
      spanKind: 1,
      parentCrossing: undefined,
      slim: { 'http.request.method': 'POST', 'url.path': '/ask', 'http.response.status_code': 201 },
    });
    expect(inner).toMatchObject({ boundary: { name: 'look_up' }, parentCrossing: run?.spanContext.spanId });
    expect(JSON.parse(run?.input?.payload.data ?? '')).toMatchObject({
      method: 'POST',
      url: expect.stringMatching(/^\/ask\?a=1&api_key=\[redacted:named-value:[0-9a-f]{16}\]$/),
      contentType: 'application/json',
      headers: expect.arrayContaining([
        ['x-tenant', 'acme'],
        ['authorization', expect.stringMatching(/^\S* ?\[redacted:/)],
      ]),
      body: { text: '{"q":"price"}' },
    });
    expect(JSON.parse(run?.outcome.value?.payload.data ?? '')).toEqual({
      status: 201,
      headers: { 'content-type': 'application/json', 'retry-after': '1' },
      body: { json: { found: 'found {"q":"price"}' } },
    });
    expect(JSON.stringify([run?.input, run?.slim])).not.toContain('sk-secret');
  });
});

describe('the answer to a request', () => {
  it('is answered byte for byte as without us', async () => {
    const exchanges = [ask, { path: '/healthz' }, { options: { method: 'HEAD' } }];
    const recorded = await record(answering, exchanges);
    undo();
    const bare = await record(answering, exchanges);
    undo = patchHttp({ inbound: true, ignore: (request) => request.url === '/healthz' });
    expect(JSON.stringify(recorded.seen)).toEqual(JSON.stringify(bare.seen));
    expect(bare.calls.facts.map(({ boundary }) => boundary.kind)).toEqual(['tool', 'tool', 'tool']);
    expect(recorded.calls.facts.map(({ boundary }) => boundary.name)).toEqual([
      'look_up',
      'POST /ask',
      'look_up',
      'look_up',
      'HEAD /',
    ]);
  });

  it('answered with a server error is an error', async () => {
    const { calls } = await record((_request, response) => void response.writeHead(503).end(), [{}]);
    expect(calls.only).toMatchObject({ status: { code: 2 }, slim: { 'error.type': '503' } });
  });

  it('and handed on to another server is one run', async () => {
    const inner = http.createServer(answering);
    const { calls } = await record((request, response) => void inner.emit('request', request, response), [ask]);
    expect(calls.facts.map(({ boundary }) => boundary.name)).toEqual(['look_up', 'POST /ask']);
  });

  it('given up by its client is aborted', async () => {
    const arrived = Promise.withResolvers<void>();
    const service = await startService(() => arrived.resolve());
    const calls = new RecordedCalls();
    const detach = calls.attach();
    const request = send(service.url).on('error', () => undefined);
    request.end();
    await arrived.promise;
    request.destroy();
    await calls.settled(1);
    detach();
    await service.stop();
    expect(calls.only.outcome.type).toBe('aborted');
  });
});

describe('the answer to a request, interim answers and trailers included,', () => {
  it('is kept, and compared by a replay', async () => {
    let hint = '</style>; rel=preload';
    const listener: RequestListener = (_request, response) => {
      response.writeProcessing();
      response.writeEarlyHints({ link: hint });
      response.writeHead(200, { trailer: 'x-sum' });
      response.write('late');
      response.addTrailers({ 'X-Sum': '42' });
      response.end();
    };
    const { calls, seen } = await record(listener, [{}]);
    const outcome = JSON.parse(calls.only.outcome.value?.payload.data ?? '') as unknown;
    expect(outcome).toEqual({
      interim: [{ status: 102 }, { status: 103, headers: { link: hint } }],
      status: 200,
      body: { text: 'late' },
      trailers: { 'x-sum': '42' },
    });
    undo();
    const bare = await record(listener, [{}]);
    undo = patchHttp({ inbound: true, ignore: (request) => request.url === '/healthz' });
    expect(JSON.stringify(seen)).toEqual(JSON.stringify(bare.seen));
    hint = '</other>; rel=preload';
    const player = new TapePlayer(calls.crossings());
    await player.during(() => record(listener, [{}]));
    expect(JSON.stringify(player.outcomes)).toContain('other');
  });
});

describe('the context of a request', () => {
  it('reaches listeners of the request and of the answer', async () => {
    const seen: (string | undefined)[] = [];
    const note = (): void => void seen.push(trace.getSpan(context.active())?.spanContext().spanId);
    const { calls } = await record(
      (request, response) => {
        note();
        request.on('data', note).on('end', () => {
          note();
          response.on('close', note).end();
        });
      },
      [{ options: { method: 'POST' }, body: 'some' }],
    );
    expect(seen.length).toBe(4);
    expect(new Set(seen)).toEqual(new Set([calls.only.spanContext.spanId]));
  });

  it('comes from the caller where the propagator of the host reads it', async () => {
    const headers = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
    const without = await record(answering, [{ options: { headers } }]);
    expect(without.calls.facts[1]?.spanContext.traceId).not.toBe('a'.repeat(32));
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    const read = await record(answering, [{ options: { headers } }]);
    propagation.disable();
    expect(read.calls.facts[1]).toMatchObject({
      spanContext: { traceId: 'a'.repeat(32) },
      parentSpanContext: { spanId: 'b'.repeat(16) },
    });
  });

  it('is not that of the run in which the server was started', async () => {
    const calls = new RecordedCalls();
    const detach = calls.attach();
    await agent('starter', async () => {
      const service = await startService(answering);
      await context.with(ROOT_CONTEXT, () => clientSees(send, service.url));
      await service.stop();
    })();
    detach();
    const [, run, starter] = calls.facts;
    expect(run?.parentCrossing).toBeUndefined();
    expect(run?.spanContext.traceId).not.toBe(starter?.spanContext.traceId);
  });

  it('keeps requests that run at the same time apart', async () => {
    const service = await startService(answering);
    const calls = new RecordedCalls();
    const detach = calls.attach();
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        clientSees(send, `${service.url}/${index}`, { method: 'POST' }, `${index}`),
      ),
    );
    detach();
    await service.stop();
    const runs = new Map(calls.facts.map((facts) => [facts.spanContext.spanId, facts.boundary.name]));
    const tools = calls.facts.filter(({ boundary }) => boundary.kind === 'tool');
    expect(tools.length).toBe(20);
    for (const { parentCrossing, input } of tools) {
      const [asked] = JSON.parse(input?.payload.data ?? '') as [string];
      expect(runs.get(parentCrossing ?? '')).toBe(`POST /${asked}`);
    }
  });
});

describe('a replayed request', () => {
  it('runs the code again over what was recorded, and its answer is compared', async () => {
    const { calls, seen } = await record(answering, [ask]);
    const player = new TapePlayer(calls.crossings());
    const replayed = await player.during(() => record(answering, [ask]));
    expect(replayed.seen).toEqual(seen);
    expect(player.changed).toEqual([]);
    expect(player.outcomes[0]).toMatchObject({ type: 'returned', value: calls.facts[1]?.outcome.value });
  });

  it('with a large body arrives whole, and a changed one is seen', async () => {
    const body = 'x'.repeat(1_000_000);
    const large = { options: { method: 'PUT' }, body };
    const { calls } = await record(answering, [large]);
    const player = new TapePlayer(calls.crossings());
    await player.during(() => record(answering, [large]));
    expect(player.changed).toEqual([]);
    const other = new TapePlayer(calls.crossings());
    await other.during(() => record(answering, [{ ...large, body: `${body}y` }]));
    expect(other.changed).toEqual(['PUT /', 'look_up']);
  });

  it('that nobody recorded is refused and reaches no listener', async () => {
    let handled = 0;
    const listener = (): void => {
      handled += 1;
    };
    const { seen } = await new TapePlayer([]).during(() => record(listener, [{}]));
    expect(JSON.stringify(seen)).toContain('replay-refused');
    expect(handled).toBe(0);
  });
});

describe('a gate that fails', () => {
  it('changes nothing for the host', async () => {
    const recorder = {
      record: () => {
        throw new TypeError('ours');
      },
    };
    gate.configure({
      recorder,
      tracerProvider: {
        getTracer: () => {
          throw new TypeError('ours');
        },
      },
    });
    const failing = await record(answering, [ask]);
    gate.configure({ recorder: undefined, tracerProvider: undefined });
    undo();
    const bare = await record(answering, [ask]);
    undo = patchHttp({ inbound: true });
    expect(failing.seen).toEqual(bare.seen);
  });
});
