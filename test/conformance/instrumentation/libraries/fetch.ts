import { tool } from '@reenact/instrumentation';
import { HttpInstrumentation } from '@reenact/instrumentation-http';
import { thrownBy } from '../error-facts.ts';
import type { FidelityAct, FidelityLibrary } from '../fidelity-library.ts';
import { startPlainPeer } from '../peers/plain-peer.ts';

function responseFacts(response: Response): unknown {
  const { status, statusText, ok, redirected, type, url } = response;
  return { is: response.constructor, status, statusText, ok, redirected, type, url, headers: [...response.headers] };
}

const bytesOf = (chunk: Uint8Array): number[] => [...chunk];

/** The bytes of every chunk, pushed as they come. */
async function chunksOf(
  { body }: Response,
  seen: number[][] = [],
  count = Number.POSITIVE_INFINITY,
): Promise<number[][]> {
  for await (const chunk of body ?? []) {
    seen.push(bytesOf(chunk as Uint8Array));
    if (seen.flat().length >= count) break;
  }
  return seen;
}

async function chunksAndBytes(response: Response): Promise<{ chunks: number[][]; bytes: number[] }> {
  const chunks = await chunksOf(response);
  return { chunks, bytes: chunks.flat() };
}

const call: FidelityAct = {
  run: async ({ address }) => {
    const sent = await fetch(`${address}/echo?a=1`, { method: 'POST', body: new URLSearchParams({ shares: '1000' }) });
    const form = new FormData();
    form.set('file', new Blob(['bytes']), 'order.txt');
    const multipart = await fetch(new Request(`${address}/echo`, { method: 'PUT', body: form }));
    const moved = await fetch(`${address}/moved`);
    const refused = await thrownBy(() => fetch(address.replace(/\d+$/, '2')));
    const { method } = (await multipart.json()) as { method: string };
    return {
      sent: [responseFacts(sent), await sent.json()],
      method,
      moved: [responseFacts(moved), await moved.text()],
      refused,
    };
  },
  shows: {
    sent: [
      { status: 200, statusText: 'Fine' },
      { method: 'POST', body: 'shares=1000' },
    ],
    method: 'PUT',
    refused: { class: TypeError, cause: { code: 'ECONNREFUSED' } },
  },
  crossings: [
    'http:POST 127.0.0.1:* returned 1',
    'http:PUT 127.0.0.1:* returned 1',
    'http:GET 127.0.0.1:* returned 1',
    'http:GET 127.0.0.1:* threw 1',
  ],
};

const stream: FidelityAct = {
  run: async ({ address }) => {
    const response = await fetch(`${address}/stream`);
    return { response: responseFacts(response), ...(await chunksAndBytes(response)), used: response.bodyUsed };
  },
  shows: { bytes: { length: 11 }, used: true },
  crossings: ['http:GET 127.0.0.1:* returned 1'],
};

const abort: FidelityAct = {
  run: async ({ address }) => {
    const left = await chunksOf(await fetch(`${address}/endless`), [], 6);
    const controller = new AbortController();
    const response = await fetch(`${address}/endless`, { signal: controller.signal });
    const seen: number[][] = [];
    const error = await thrownBy(async () => {
      for await (const chunk of response.body ?? []) {
        seen.push(bytesOf(chunk as Uint8Array));
        if (seen.flat().length === 11) controller.abort(new RangeError('enough'));
      }
    });
    const before = await thrownBy(() => fetch(`${address}/echo`, { signal: controller.signal }));
    return { left, seen: seen.flat().length, error, before };
  },
  shows: { seen: 11, error: { class: RangeError, message: 'enough' }, before: { class: RangeError } },
  crossings: ['http:GET 127.0.0.1:* aborted 1', 'http:GET 127.0.0.1:* aborted 1', 'http:GET 127.0.0.1:* aborted 1'],
};

const midStreamError: FidelityAct = {
  run: async ({ address }) => {
    const seen: number[][] = [];
    const response = await fetch(`${address}/breaks`);
    return { error: await thrownBy(() => chunksOf(response, seen)), bytes: seen.flat() };
  },
  shows: {
    error: { class: TypeError, message: 'terminated', cause: { code: 'UND_ERR_SOCKET' } },
    bytes: { length: 11 },
  },
  crossings: ['http:GET 127.0.0.1:* failed 1'],
};

const retry: FidelityAct = {
  run: async ({ address }) => {
    const seen: unknown[] = [];
    for (;;) {
      const response = await fetch(`${address}/limited`);
      seen.push([response.status, response.headers.get('retry-after')]);
      if (response.ok) return { seen, body: await response.json() };
      await response.body?.cancel();
    }
  },
  shows: {
    seen: [
      [429, '0'],
      [200, null],
    ],
  },
  crossings: ['http:GET 127.0.0.1:* aborted 1', 'http:GET 127.0.0.1:* returned 1'],
};

const timeout: FidelityAct = {
  run: ({ address }) => thrownBy(() => fetch(`${address}/hangs`, { signal: AbortSignal.timeout(30) })),
  shows: { class: DOMException, name: 'TimeoutError' },
  crossings: ['http:GET 127.0.0.1:* aborted 1'],
};

const reverseParallel: FidelityAct = {
  run: async ({ address }) => {
    const finished: string[] = [];
    const answers = await Promise.all(
      ['first', 'second', 'third'].map(async (path) => {
        const body = await (await fetch(`${address}/${path}`)).text();
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
    const inner = tool('inner', async (path: string) => (await fetch(`${address}${path}`)).text());
    const outer = tool(
      'outer',
      async (path: string) => (await inner(path)).length + (await (await fetch(`${address}${path}`)).text()).length,
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
    const response = await fetch(`${address}/echo`);
    const copy = response.clone();
    const text = await response.text();
    return { text, again: await thrownBy(() => response.text()), copy: await copy.json() };
  },
  shows: { again: { class: TypeError }, copy: { method: 'GET' } },
  crossings: ['http:GET 127.0.0.1:* returned 1'],
};

const tee: FidelityAct = {
  run: async ({ address }) => {
    const response = await fetch(`${address}/stream`);
    const [left, right] = response.body?.tee() ?? [];
    const second = await chunksOf(new Response(right));
    return { first: (await chunksOf(new Response(left))).flat(), second: second.flat(), locked: response.body?.locked };
  },
  shows: { first: { length: 11 }, second: { length: 11 }, locked: true },
  crossings: ['http:GET 127.0.0.1:* returned 1'],
};

const helpers: FidelityAct = {
  run: async ({ address }) => {
    const get = (): Promise<Response> => fetch(`${address}/echo`, { method: 'POST', body: '{"a":1}' });
    const blob = await (await get()).blob();
    const bytes = (await (await get()).body?.getReader({ mode: 'byob' }).read(new Uint8Array(4)))?.value;
    const decoded = await (await get()).body?.pipeThrough(new TextDecoderStream()).getReader().read();
    return { blob: [blob.type, await blob.text()], buffer: await (await get()).arrayBuffer(), bytes, decoded };
  },
  shows: { blob: ['application/json', /"body":"\{\\"a\\":1\}"/], bytes: { length: 4 } },
  crossings: [
    'http:POST 127.0.0.1:* returned 1',
    // Read in part: when the run ended it had all that it had asked for.
    'http:POST 127.0.0.1:* returned 1',
    'http:POST 127.0.0.1:* returned 1',
    'http:POST 127.0.0.1:* returned 1',
  ],
};

/** `fetch` of the platform. */
export const fetchFidelity: FidelityLibrary = {
  name: '`fetch`',
  start: startPlainPeer,
  patch: () => {
    const instrumentation = new HttpInstrumentation({ inbound: false });
    return () => instrumentation.disable();
  },
  patched: () => [[globalThis, 'fetch']],
  applications: {
    modules: 'fetch',
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
