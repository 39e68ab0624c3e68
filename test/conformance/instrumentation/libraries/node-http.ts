import { once } from 'node:events';
import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { PassThrough } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { tool } from '@reenact/instrumentation';
import { HttpInstrumentation } from '@reenact/instrumentation-http';
import { errorFacts, thrownBy } from '../error-facts.ts';
import type { FidelityAct, FidelityLibrary } from '../fidelity-library.ts';
import { startPlainPeer } from '../peers/plain-peer.ts';

function send(url: string, options: RequestOptions = {}, body?: string): ClientRequest {
  return http.request(url, options).end(body);
}

async function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

async function get(url: string, options: RequestOptions = {}): Promise<string> {
  return text(await responseTo(send(url, options)));
}

function messageFacts(message: IncomingMessage): unknown {
  const { statusCode, statusMessage, headers, rawHeaders, httpVersion } = message;
  return { is: message.constructor, statusCode, statusMessage, headers, rawHeaders, httpVersion };
}

const call: FidelityAct = {
  run: async ({ address }) => {
    const request = send(`${address}/echo?a=1`, { method: 'POST', headers: { 'x-order': '7' } }, 'shares=1000');
    const response = await responseTo(request);
    const seen = [messageFacts(response), await text(response), response.complete];
    const { method, path, host, protocol } = request;
    const refused = await thrownBy(() => get(address.replace(/\d+$/, '2')));
    return { seen, request: { is: request.constructor, method, path, host, protocol }, refused };
  },
  shows: {
    seen: [{ statusCode: 200, statusMessage: 'Fine', headers: { 'x-twice': 'a, b' } }, /shares=1000/, true],
    request: { method: 'POST', path: '/echo?a=1' },
    refused: { fields: { code: 'ECONNREFUSED', syscall: 'connect' } },
  },
  crossings: ['http:POST 127.0.0.1:* returned 1', 'http:GET 127.0.0.1:* threw 1'],
};

const stream: FidelityAct = {
  run: async ({ address }) => {
    const response = await responseTo(send(`${address}/stream`));
    // By events: a loop over the message gets what came in one turn as one chunk.
    const chunks: number[][] = [];
    response.on('data', (chunk: Buffer) => chunks.push([...chunk]));
    await once(response, 'end');
    return { chunks, bytes: chunks.flat(), complete: response.complete };
  },
  shows: { bytes: { length: 11 }, complete: true },
  crossings: ['http:GET 127.0.0.1:* returned 1'],
};

/** Everything the events of a request say until it has closed. */
async function eventsOf(
  request: ClientRequest,
  act: (response: IncomingMessage, bytes: number) => void,
): Promise<unknown> {
  const log: unknown[] = [];
  let bytes = 0;
  request.on('error', (error) => log.push(['error', errorFacts(error)]));
  request.on('response', (response) => {
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      act(response, bytes);
    });
    response.on('error', (error) => log.push(['response error', errorFacts(error)]));
    response.on('aborted', () => log.push('response aborted'));
    response.on('close', () => log.push('response close'));
  });
  await new Promise((resolve) => request.on('close', () => setImmediate(() => setImmediate(resolve))));
  return { log, bytes };
}

const abort: FidelityAct = {
  run: async ({ address }) => {
    const destroyed = send(`${address}/endless`);
    const left = await eventsOf(destroyed, (response, bytes) => bytes === 11 && response.destroy());
    const controller = new AbortController();
    const signalled = send(`${address}/endless`, { signal: controller.signal });
    const aborted = await eventsOf(signalled, (_, bytes) => bytes === 11 && controller.abort());
    return { left, aborted, destroyed: [destroyed.destroyed, signalled.destroyed] };
  },
  shows: { left: { bytes: 11 }, aborted: { bytes: 11 }, destroyed: [true, true] },
  crossings: ['http:GET 127.0.0.1:* aborted 1', 'http:GET 127.0.0.1:* aborted 1'],
};

const midStreamError: FidelityAct = {
  run: ({ address }) => eventsOf(send(`${address}/breaks`), () => undefined),
  shows: { bytes: 11 },
  crossings: ['http:GET 127.0.0.1:* failed 1'],
};

const retry: FidelityAct = {
  run: async ({ address }) => {
    const seen: unknown[] = [];
    for (;;) {
      const response = await responseTo(send(`${address}/limited`));
      seen.push([response.statusCode, response.headers['retry-after'], await text(response)]);
      if (response.statusCode === 200) return seen;
    }
  },
  shows: [[429, '0', 'slow down'], { 0: 200 }],
  crossings: ['http:GET 127.0.0.1:* returned 1', 'http:GET 127.0.0.1:* returned 1'],
};

const timeout: FidelityAct = {
  run: async ({ address }) => {
    const request = send(`${address}/hangs`, { timeout: 30 });
    request.on('timeout', () => request.destroy(new RangeError('gave up')));
    return {
      own: await thrownBy(() => responseTo(request)),
      signal: await thrownBy(() => get(`${address}/hangs`, { signal: AbortSignal.timeout(30) })),
    };
  },
  shows: { own: { class: RangeError, message: 'gave up' }, signal: { name: 'AbortError' } },
  crossings: ['http:GET 127.0.0.1:* aborted 1', 'http:GET 127.0.0.1:* aborted 1'],
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
    const inner = tool('inner', async (path: string) => get(`${address}${path}`));
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
    const response = await responseTo(send(`${address}/echo`));
    const first = await text(response);
    return { first, again: await text(response), ended: response.readableEnded };
  },
  shows: { first: /GET/, again: '', ended: true },
  crossings: ['http:GET 127.0.0.1:* returned 1'],
};

const tee: FidelityAct = {
  run: async ({ address }) => {
    const response = await responseTo(send(`${address}/stream`));
    const [left, right] = [new PassThrough(), new PassThrough()];
    response.pipe(left);
    response.pipe(right);
    const bytes = await Promise.all([buffer(left), buffer(right)]);
    return bytes.map((half) => [...half]);
  },
  shows: [{ length: 11 }, { length: 11 }],
  crossings: ['http:GET 127.0.0.1:* returned 1'],
};

const helpers: FidelityAct = {
  run: async ({ address }) => {
    const viaGet = await new Promise<string>((resolve, reject) => {
      http.get(new URL(`${address}/echo?b=2`), (response) => void text(response).then(resolve, reject));
    });
    const uploading = http.request(`${address}/echo`, { method: 'PUT' });
    const answered = responseTo(uploading);
    await pipeline(['in ', 'parts'], uploading);
    const response = (await answered).setEncoding('utf8');
    const parts: unknown[] = [];
    response.on('data', (part) => parts.push(part));
    await once(response, 'end');
    return { viaGet, parts: parts.join('') };
  },
  shows: { viaGet: /b=2/, parts: /in parts/ },
  crossings: ['http:GET 127.0.0.1:* returned 1', 'http:PUT 127.0.0.1:* returned 1'],
};

/** `node:http` and `node:https` of the platform. */
export const nodeHttpFidelity: FidelityLibrary = {
  name: '`node:http`, `node:https`',
  start: startPlainPeer,
  patch: () => {
    const instrumentation = new HttpInstrumentation({ inbound: false });
    return () => instrumentation.disable();
  },
  patched: () => [http, https].flatMap((module) => ['request', 'get'].map((key) => [module, key] as const)),
  applications: {
    modules: 'node-http',
    instrumentation: ['@reenact/instrumentation-http', 'HttpInstrumentation'],
    bundled: { why: 'The platform brings it; a bundle calls the very functions that are patched.' },
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
