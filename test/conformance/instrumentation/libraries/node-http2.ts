import { once } from 'node:events';
import http2, { type ClientHttp2Session, type ClientHttp2Stream, type OutgoingHttpHeaders } from 'node:http2';
import { PassThrough } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { tool } from '@reenact/instrumentation';
import { HttpInstrumentation } from '@reenact/instrumentation-http';
import { errorFacts, thrownBy } from '../error-facts.ts';
import type { FidelityAct, FidelityLibrary, Peer } from '../fidelity-library.ts';
import { startHttp2Peer } from '../peers/http2-peer.ts';

const { NGHTTP2_CANCEL, NGHTTP2_INTERNAL_ERROR } = http2.constants;

/** Runs an act with a session of its own; it waits until the session is gone. */
function withSession(act: (session: ClientHttp2Session) => Promise<unknown>): FidelityAct['run'] {
  return async ({ address }: Peer) => {
    const session = http2.connect(address);
    session.on('error', () => undefined);
    try {
      return await act(session);
    } finally {
      const closed = session.destroyed ? undefined : once(session, 'close');
      session.destroy();
      await closed;
    }
  };
}

/** Everything that happens to a stream until it has closed; `act` is told how many bytes have come. */
async function eventsOf(stream: ClientHttp2Stream, act?: (bytes: number) => unknown): Promise<unknown> {
  const log: unknown[] = [];
  const bytes: number[] = [];
  stream.on('response', (headers) => log.push(['response', { ...headers }]));
  stream.on('data', (chunk: Buffer) => {
    log.push(['data', [...chunk]]);
    bytes.push(...chunk);
    act?.(bytes.length);
  });
  stream.on('trailers', (headers) => log.push(['trailers', { ...headers }]));
  stream.on('aborted', () => log.push('aborted'));
  stream.on('end', () => log.push('end'));
  stream.on('error', (error) => log.push(['error', errorFacts(error)]));
  await new Promise((resolve) => stream.on('close', () => setImmediate(resolve)));
  return { log, bytes, code: stream.rstCode, destroyed: stream.destroyed };
}

async function statusOf(stream: ClientHttp2Stream): Promise<unknown> {
  const [headers] = (await once(stream, 'response')) as [OutgoingHttpHeaders];
  return headers[':status'];
}

const get = (session: ClientHttp2Session, path: string): Promise<string> => text(session.request({ ':path': path }));

const call: FidelityAct = {
  run: async (peer) => {
    const sent = await withSession((session) => {
      const stream = session.request({ ':method': 'POST', ':path': '/echo?a=1', 'x-order': '7' });
      stream.end('shares=1000');
      return eventsOf(stream);
    })(peer);
    const nobody = { ...peer, address: peer.address.replace(/\d+$/, '2') };
    return { sent, refused: await withSession((session) => eventsOf(session.request({ ':path': '/' })))(nobody) };
  },
  shows: {
    sent: { log: { 0: ['response', { ':status': 200, 'x-twice': 'a, b' }] }, code: 0, destroyed: true },
    refused: { log: [['error', { cause: { code: 'ECONNREFUSED' } }]] },
  },
  crossings: ['http:POST 127.0.0.1:* returned 1', 'http:GET 127.0.0.1:* threw 1'],
};

const stream: FidelityAct = {
  run: withSession((session) => eventsOf(session.request({ ':path': '/stream' }))),
  shows: { bytes: { length: 11 }, code: 0 },
  crossings: ['http:GET 127.0.0.1:* returned 1'],
};

const abort: FidelityAct = {
  run: withSession(async (session) => {
    const closed = session.request({ ':path': '/endless' });
    const left = await eventsOf(closed, (bytes) => bytes === 11 && closed.close(NGHTTP2_CANCEL));
    const controller = new AbortController();
    const signalled = session.request({ ':path': '/endless' }, { signal: controller.signal });
    return { left, aborted: await eventsOf(signalled, (bytes) => bytes === 11 && controller.abort()) };
  }),
  shows: { left: { bytes: { length: 11 }, code: NGHTTP2_CANCEL }, aborted: { bytes: { length: 11 } } },
  crossings: ['http:GET 127.0.0.1:* aborted 1', 'http:GET 127.0.0.1:* aborted 1'],
};

const midStreamError: FidelityAct = {
  run: withSession((session) => eventsOf(session.request({ ':path': '/breaks' }))),
  shows: { bytes: { length: 11 }, code: NGHTTP2_INTERNAL_ERROR },
  crossings: ['http:GET 127.0.0.1:* failed 1'],
};

const retry: FidelityAct = {
  run: withSession(async (session) => {
    const seen: unknown[] = [];
    for (;;) {
      const asked = session.request({ ':path': '/limited' });
      const status = await statusOf(asked);
      seen.push([status, await text(asked)]);
      if (status === 200) return seen;
    }
  }),
  shows: [[429, 'slow down'], { 0: 200 }],
  crossings: ['http:GET 127.0.0.1:* returned 1', 'http:GET 127.0.0.1:* returned 1'],
};

const timeout: FidelityAct = {
  run: withSession(async (session) => {
    const asked = session.request({ ':path': '/hangs' });
    asked.setTimeout(100, () => asked.close(NGHTTP2_CANCEL));
    const own = await eventsOf(asked);
    const signalled = session.request({ ':path': '/hangs' }, { signal: AbortSignal.timeout(100) });
    return { own, signal: await thrownBy(() => statusOf(signalled)) };
  }),
  shows: { own: { bytes: { length: 0 }, code: NGHTTP2_CANCEL }, signal: { name: 'AbortError' } },
  crossings: ['http:GET 127.0.0.1:* aborted 1', 'http:GET 127.0.0.1:* aborted 1'],
};

const reverseParallel: FidelityAct = {
  run: withSession(async (session) => {
    const finished: string[] = [];
    const answers = await Promise.all(
      ['/first', '/second', '/third'].map(async (path) => {
        const body = await get(session, path);
        finished.push(body);
        return body;
      }),
    );
    return { answers, finished };
  }),
  shows: { answers: ['/first', '/second', '/third'], finished: ['/third', '/second', '/first'] },
  crossings: ['http:GET 127.0.0.1:* returned 1', 'http:GET 127.0.0.1:* returned 1', 'http:GET 127.0.0.1:* returned 1'],
};

const nestedTools: FidelityAct = {
  run: withSession((session) => {
    const inner = tool('inner', (path: string) => get(session, path));
    const outer = tool('outer', async (path: string) => (await inner(path)).length + (await get(session, path)).length);
    return outer('/echo');
  }),
  shows: 52,
  crossings: [
    'tool:outer returned 0',
    'tool:inner returned 0',
    'http:GET 127.0.0.1:* returned 1',
    'http:GET 127.0.0.1:* returned 1',
  ],
};

const doubleIteration: FidelityAct = {
  run: withSession(async (session) => {
    const asked = session.request({ ':path': '/echo' });
    const first = await text(asked);
    return { first, again: await text(asked), ended: asked.readableEnded };
  }),
  shows: { first: /echo/, again: '', ended: true },
  crossings: ['http:GET 127.0.0.1:* returned 1'],
};

const tee: FidelityAct = {
  run: withSession(async (session) => {
    const asked = session.request({ ':path': '/stream' });
    const halves = [asked.pipe(new PassThrough()), asked.pipe(new PassThrough())];
    return (await Promise.all(halves.map((half) => buffer(half)))).map((half) => [...half]);
  }),
  shows: [{ length: 11 }, { length: 11 }],
  crossings: ['http:GET 127.0.0.1:* returned 1'],
};

const helpers: FidelityAct = {
  run: withSession(async (session) => {
    const uploading = session.request({ ':method': 'PUT', ':path': '/echo' });
    const answered = text(uploading);
    await pipeline(['in ', 'parts'], uploading);
    const encoded = session.request({ ':path': '/echo' }).setEncoding('base64');
    const parts: unknown[] = [];
    for await (const part of encoded) parts.push(part);
    const piped = new PassThrough();
    await pipeline(session.request({ ':path': '/stream' }), piped);
    return {
      uploaded: await answered,
      parts: parts.join(''),
      piped: await buffer(piped),
      encrypted: session.encrypted,
    };
  }),
  shows: { uploaded: /in parts/, parts: /^[A-Za-z0-9+/]+=*$/, piped: { length: 11 }, encrypted: false },
  crossings: ['http:PUT 127.0.0.1:* returned 1', 'http:GET 127.0.0.1:* returned 1', 'http:GET 127.0.0.1:* returned 1'],
};

/** `node:http2` of the platform. */
export const nodeHttp2Fidelity: FidelityLibrary = {
  name: '`node:http2`',
  start: startHttp2Peer,
  patch: () => {
    const instrumentation = new HttpInstrumentation({ inbound: false });
    return () => instrumentation.disable();
  },
  patched: () => [[http2, 'connect']],
  applications: {
    modules: 'node-http2',
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
