import { AssertionError } from 'node:assert';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { tool } from '@reenact/instrumentation';
import { HttpInstrumentation } from '@reenact/instrumentation-http';
import * as undici from 'undici';
import { thrownBy } from '../error-facts.ts';
import type { FidelityAct, FidelityLibrary, Peer } from '../fidelity-library.ts';
import { startPlainPeer } from '../peers/plain-peer.ts';

type UndiciResponse = undici.Dispatcher.ResponseData<unknown>;

async function withAgent<Value>(act: (dispatcher: undici.Agent) => Promise<Value>): Promise<Value> {
  const agent = new undici.Agent();
  try {
    return await act(agent);
  } finally {
    await agent.destroy();
  }
}

function responseFacts({ statusCode, statusText, headers, trailers, opaque, body }: UndiciResponse): unknown {
  return { statusCode, statusText, headers, trailers, opaque, body: body.constructor.name };
}

/** The socket an error carries says from which port: no two runs have the same. */
function thrownByUndici(act: () => unknown): Promise<unknown> {
  return thrownBy(async () => {
    try {
      return await act();
    } catch (error) {
      for (const holder of [error, (error as Error).cause]) {
        if (holder instanceof undici.errors.SocketError) Reflect.deleteProperty(holder, 'socket');
      }
      throw error;
    }
  });
}

/** The bytes of every chunk, pushed as they come, until `count` bytes are there. */
async function chunksOf({ body }: UndiciResponse, seen: number[][], count = Number.POSITIVE_INFINITY): Promise<void> {
  for await (const chunk of body) {
    seen.push([...(chunk as Buffer)]);
    if (seen.flat().length >= count) return;
  }
}

async function get(url: string): Promise<string> {
  return (await undici.request(url)).body.text();
}

const call: FidelityAct = {
  run: async ({ address }) => {
    const headers = ['x-order', '7'];
    const options = { method: 'POST', body: 'shares=1000', headers, opaque: { order: 7 } } as const;
    const sent = await undici.request(`${address}/echo`, { ...options, query: { a: 'b c' } });
    const redirecting = undici.interceptors.redirect({ maxRedirections: 1 });
    const moved = await withAgent((agent) =>
      undici
        .request(`${address}/moved`, { dispatcher: agent.compose(redirecting) })
        .then(async (response) => [response.statusCode, await response.body.json()]),
    );
    const refused = await thrownByUndici(() => undici.request(address.replace(/\d+$/, '2')));
    return { sent: [responseFacts(sent), await sent.body.json()], moved, refused };
  },
  shows: {
    sent: [
      { statusCode: 200, statusText: 'Fine', headers: { 'x-twice': ['a', 'b'] }, opaque: { order: 7 } },
      { method: 'POST', path: '/echo?a=b%20c', body: 'shares=1000' },
    ],
    moved: [200, { path: '/echo' }],
    refused: { fields: { code: 'ECONNREFUSED', syscall: 'connect' } },
  },
  crossings: [
    'http:POST 127.0.0.1:* returned 1',
    'http:GET 127.0.0.1:* returned 1',
    'http:GET 127.0.0.1:* returned 1',
    'http:GET 127.0.0.1:* threw 1',
  ],
};

const stream: FidelityAct = {
  run: async ({ address }) => {
    const response = await undici.request(`${address}/stream`);
    const chunks: number[][] = [];
    response.body.on('data', (chunk: Buffer) => chunks.push([...chunk]));
    await once(response.body, 'end');
    return { response: responseFacts(response), chunks, bytes: chunks.flat() };
  },
  shows: { bytes: { length: 11 } },
  crossings: ['http:GET 127.0.0.1:* returned 1'],
};

const abort: FidelityAct = {
  run: async ({ address }) => {
    const left: number[][] = [];
    const leaving = await undici.request(`${address}/endless`);
    await chunksOf(leaving, left, 11);
    const controller = new AbortController();
    const seen: number[][] = [];
    const response = await undici.request(`${address}/endless`, { signal: controller.signal });
    const error = await thrownByUndici(async () => {
      for await (const chunk of response.body) {
        seen.push([...(chunk as Buffer)]);
        if (seen.flat().length === 11) controller.abort(new RangeError('enough'));
      }
    });
    const before = await thrownByUndici(() => undici.request(`${address}/echo`, { signal: controller.signal }));
    return { left: left.flat(), destroyed: leaving.body.destroyed, seen: seen.flat(), error, before };
  },
  shows: {
    left: { length: 11 },
    destroyed: true,
    seen: { length: 11 },
    error: { class: RangeError, message: 'enough' },
    before: { class: RangeError },
  },
  // Since 8.13 a request that was called off beforehand is not handed on to be sent.
  crossings: ['http:GET 127.0.0.1:* aborted 1', 'http:GET 127.0.0.1:* aborted 1'],
};

const midStreamError: FidelityAct = {
  run: async ({ address }) => {
    const seen: number[][] = [];
    const response = await undici.request(`${address}/breaks`);
    return { error: await thrownByUndici(() => chunksOf(response, seen)), bytes: seen.flat() };
  },
  shows: { error: { class: undici.errors.SocketError, message: 'other side closed' }, bytes: { length: 11 } },
  crossings: ['http:GET 127.0.0.1:* failed 1'],
};

const retry: FidelityAct = {
  run: async ({ address }) => {
    const retrying = undici.interceptors.retry({ minTimeout: 1, maxRetries: 1 });
    return withAgent(async (agent) => {
      const response = await undici.request(`${address}/limited`, { dispatcher: agent.compose(retrying) });
      return { response: responseFacts(response), body: await response.body.json() };
    });
  },
  shows: { response: { statusCode: 200 }, body: { path: '/limited' } },
  crossings: ['http:GET 127.0.0.1:* returned 1', 'http:GET 127.0.0.1:* returned 1'],
};

const timeout: FidelityAct = {
  run: async ({ address }) => ({
    own: await thrownByUndici(() => undici.request(`${address}/hangs`, { headersTimeout: 100 })),
    signal: await thrownByUndici(() => undici.request(`${address}/hangs`, { signal: AbortSignal.timeout(100) })),
  }),
  shows: { own: { class: undici.errors.HeadersTimeoutError }, signal: { class: DOMException, name: 'TimeoutError' } },
  crossings: ['http:GET 127.0.0.1:* threw 1', 'http:GET 127.0.0.1:* aborted 1'],
};

const reverseParallel: FidelityAct = {
  run: async ({ address }) => {
    const finished: string[] = [];
    const answers = await Promise.all(
      ['first', 'second', 'third'].map(async (path) => {
        const body = await get(`${address}/${path}`);
        finished.push(body);
        return body;
      }),
    );
    return { answers, finished };
  },
  shows: { answers: ['/first', '/second', '/third'], finished: ['/third', '/second', '/first'] },
  crossings: ['http:GET 127.0.0.1:* returned 1', 'http:GET 127.0.0.1:* returned 1', 'http:GET 127.0.0.1:* returned 1'],
};

const nestedTools: FidelityAct = {
  run: ({ address }) => {
    const inner = tool('inner', (path: string) => get(`${address}${path}`));
    const outer = tool(
      'outer',
      async (path: string) => (await inner(path)).length + (await get(`${address}${path}`)).length,
    );
    return outer('/echo');
  },
  shows: 82,
  crossings: [
    'tool:outer returned 0',
    'tool:inner returned 0',
    'http:GET 127.0.0.1:* returned 1',
    'http:GET 127.0.0.1:* returned 1',
  ],
};

const doubleIteration: FidelityAct = {
  run: async ({ address }) => {
    const { body } = await undici.request(`${address}/echo`);
    const first = await body.json();
    const again = await thrownByUndici(() => body.text());
    const looped: unknown[] = [];
    for await (const chunk of body) looped.push(chunk);
    return { first, again, looped };
  },
  shows: { first: { method: 'GET' }, again: { class: AssertionError }, looped: { length: 0 } },
  crossings: ['http:GET 127.0.0.1:* returned 1'],
};

const tee: FidelityAct = {
  run: async ({ address }) => {
    const response = await undici.fetch(`${address}/stream`);
    const [left, right] = response.body?.tee() ?? [];
    const ofFetch = [await new undici.Response(left).bytes(), await new undici.Response(right).bytes()];
    const { body } = await undici.request(`${address}/stream`);
    const halves = [body.pipe(new PassThrough()), body.pipe(new PassThrough())];
    return { ofFetch, ofRequest: await Promise.all(halves.map((half) => text(half))) };
  },
  shows: { ofFetch: [{ length: 11 }, { length: 11 }], ofRequest: [/^one /, /^one /] },
  crossings: ['http:GET 127.0.0.1:* returned 1', 'http:GET 127.0.0.1:* returned 1'],
};

const helpers: FidelityAct = {
  run: async ({ address }) => {
    const parts: string[] = [];
    await undici.stream(`${address}/echo`, { method: 'GET', opaque: parts }, ({ statusCode, opaque }) => {
      (opaque as string[]).push(String(statusCode));
      return new PassThrough().on('data', (chunk: Buffer) => parts.push(chunk.toString()));
    });
    const piped = undici.pipeline(`${address}/echo`, { method: 'PUT' }, ({ body }) => body).end('through the pipe');
    const pool = new undici.Pool(address);
    const pooled = await (await pool.request({ path: '/echo?pool', method: 'DELETE' })).body.arrayBuffer();
    const fetched = await undici.fetch(`${address}/echo`, {
      method: 'POST',
      body: new URLSearchParams({ shares: 'é' }),
    });
    const classes = [fetched instanceof undici.Response, fetched.headers instanceof undici.Headers];
    await pool.close();
    return { parts: parts.join(' '), piped: await text(piped), pooled, classes, fetched: await fetched.json() };
  },
  shows: {
    parts: /^200 .*GET/,
    piped: /through the pipe/,
    classes: [true, true],
    fetched: { body: 'shares=%C3%A9' },
  },
  crossings: ['GET', 'PUT', 'DELETE', 'POST'].map((method) => `http:${method} 127.0.0.1:* returned 1`),
};

/** With an agent of this copy: the one all copies share is of the copy inside Node where `fetch` was used first. */
async function start(): Promise<Peer> {
  const shared = undici.getGlobalDispatcher();
  const own = new undici.Agent();
  undici.setGlobalDispatcher(own);
  const peer = await startPlainPeer();
  return {
    address: peer.address,
    get contacts() {
      return peer.contacts;
    },
    stop: async () => {
      undici.setGlobalDispatcher(shared);
      await own.destroy();
      await peer.stop();
    },
  };
}

/** The `undici` package, beside the copy of it inside Node. */
export const undiciFidelity: FidelityLibrary = {
  name: '`undici`',
  start,
  patch: () => {
    const instrumentation = new HttpInstrumentation({ inbound: false });
    instrumentation.instrumentUndici(undici);
    return () => instrumentation.disable();
  },
  patched: () => [[Object.getPrototypeOf(undici.Agent.prototype) as object, 'dispatch']],
  applications: {
    modules: 'undici',
    instrumentation: ['@reenact/instrumentation-http', 'HttpInstrumentation'],
    bundled: 'undici-bundled',
  },
  cases: {
    call,
    stream,
    abort,
    'mid-stream error': midStreamError,
    '429 then success': retry,
    timeout,
    'reverse parallel': reverseParallel,
    'nested tools': nestedTools,
    'double iteration': doubleIteration,
    tee,
    helpers,
  },
};
