import { openAsBlob } from 'node:fs';
import { gate } from '@reenact/instrumentation';
import { crossingOf, RecordedCalls, TapePlayer } from '@reenact/instrumentation/testing';
import { ATTR_HTTP_RESPONSE_STATUS_CODE } from '@reenact/semconv/core';
import { UNSENT_BODY_MARK } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BothEnds, errorFacts, patchHttp, recordAct, recordThenServe } from '../testdata/http-suite.ts';
import { ScriptedServer } from '../testdata/scripted-server.ts';

let undo: () => void;
beforeAll(() => {
  undo = patchHttp();
});
afterAll(() => undo());

function expectSame(ends: BothEnds<unknown>): void {
  expect(ends.replayed).toEqual(ends.recorded);
  expect(ends.player.refusals).toEqual([]);
  expect(ends.player.changed).toEqual([]);
}

/** All that can be seen of a fetch: the response, its chunks one by one, or the error. */
async function facts(sending: Promise<Response>): Promise<unknown> {
  const seen: unknown[] = [];
  try {
    const response = await sending;
    const { status, statusText, url, redirected, type, ok } = response;
    seen.push({ status, statusText, url, redirected, type, ok, headers: [...response.headers] });
    seen.push(response.constructor === Response, response.headers instanceof Headers);
    for await (const chunk of response.body ?? []) seen.push(Buffer.from(chunk).toString('latin1'));
  } catch (error) {
    seen.push(errorFacts(error), error instanceof Error ? error.stack : undefined);
  }
  return seen;
}

const echo = (): Promise<ScriptedServer> =>
  ScriptedServer.start((request, response) => {
    if (request.url === '/from') return void response.writeHead(302, { location: '/to' }).end();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"pieces":', () => setImmediate(() => response.end('[1,2]}')));
  });

type Send = (url: string) => Promise<Response>;

async function* parts(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('part one, ');
  yield Buffer.from('part two');
}

function form(): FormData {
  const made = new FormData();
  made.set('name', 'value');
  made.set('file', new Blob(['content'], { type: 'text/x-odd' }), 'odd.txt');
  return made;
}

const file = (): Promise<Blob> => openAsBlob(import.meta.filename);

function aroundStream(url: string, source: AsyncIterable<Uint8Array>): Request {
  const headers = { 'content-type': 'text/plain' };
  const body = ReadableStream.from(source);
  return new Request(url, { method: 'POST', headers, body, duplex: 'half', referrer: `${url}/page` });
}

const sends: readonly (readonly [string, Send])[] = [
  ['nothing', (url) => fetch(`${url}/a?b=c#d`)],
  ['a URL object', (url) => fetch(new URL(url))],
  ['a Request', (url) => fetch(new Request(url, { method: 'POST', body: '{"a":1}' }))],
  ['a Request around a web stream', (url) => fetch(aroundStream(url, parts()))],
  ['the same with an init', (url) => fetch(aroundStream(url, parts()), { headers: { 'x-a': '1' } })],
  ['a Request around a form', (url) => fetch(new Request(url, { method: 'POST', body: form() }))],
  ['a Request around a file', async (url) => fetch(new Request(url, { method: 'POST', body: await file() }))],
  ['a Request and a body', (url) => fetch(aroundStream(url, parts()), { method: 'PUT', body: 'text' })],
  ['text', (url) => fetch(url, { method: 'POST', body: 'text' })],
  ['JSON', (url) => fetch(url, { method: 'put', headers: { 'content-type': 'application/json' }, body: '{"a":1}' })],
  ['bytes', (url) => fetch(url, { method: 'POST', body: new Uint8Array([0, 255, 128]) })],
  ['parameters', (url) => fetch(url, { method: 'POST', body: new URLSearchParams({ a: 'b' }) })],
  ['a form with a file', (url) => fetch(url, { method: 'POST', body: form() })],
  ['a file', async (url) => fetch(url, { method: 'POST', body: await file() })],
  ['a web stream', (url) => fetch(url, { method: 'POST', body: ReadableStream.from(parts()), duplex: 'half' })],
  ['an async iterable', (url) => fetch(url, { method: 'POST', body: parts(), duplex: 'half' } as RequestInit)],
  ['headers that can be read once', (url) => fetch(url, { headers: new Map([['x-a', '1']]).entries() as never })],
  ['a method of its own', (url) => fetch(url, { method: 'QUERY' })],
  ['a redirect', (url) => fetch(`${url}/from`)],
  ['a redirect not followed', (url) => fetch(`${url}/from`, { redirect: 'manual' })],
];

describe('a fetch whose body', () => {
  const ok = (): Promise<ScriptedServer> => ScriptedServer.start((_request, response) => void response.end('ok'));

  it('cannot be read further fails as it did, and is recorded up to there', async () => {
    async function* breaking(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half');
      throw new RangeError('disk on fire');
    }
    const send: Send = (url) => fetch(url, { method: 'POST', body: ReadableStream.from(breaking()), duplex: 'half' });
    const ends = await recordThenServe(await ok(), (url) => send(url).catch(errorFacts));
    expectSame(ends);
    expect(ends.calls.only.lossy).toEqual([]);
    expect(JSON.parse(ends.crossings[0]?.input?.data ?? '')).toMatchObject({ body: { text: 'half' }, isBroken: true });
  });

  it('is that of a Request, and cannot be read further, fails as it did', async () => {
    async function* breaking(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half');
      throw new RangeError('disk on fire');
    }
    const ends = await recordThenServe(await ok(), (url) => fetch(aroundStream(url, breaking())).catch(errorFacts));
    expectSame(ends);
    expect(JSON.parse(ends.crossings[0]?.input?.data ?? '')).toMatchObject({ body: { text: 'half' }, isBroken: true });
  });

  it('is that of a Request, counts as read at once, and is read only as fast as it is sent', async () => {
    const partCount = 2_000;
    let pulls = 0;
    async function* long(): AsyncGenerator<Uint8Array> {
      for (; pulls < partCount; pulls += 1) yield Buffer.alloc(64 * 1024);
    }
    // Takes the head of the request, and nothing that follows.
    const server = await ScriptedServer.raw((socket) => void socket.pause());
    await recordAct(async () => {
      const request = aroundStream(server.url, long());
      const answer = fetch(request).catch(errorFacts);
      expect(request.bodyUsed).toBe(true);
      for (let turn = 0; turn < 2 * partCount; turn += 1) await new Promise(setImmediate);
      expect(pulls).toBeGreaterThan(0);
      expect(pulls).toBeLessThan(partCount);
      await expect(request.text()).rejects.toThrow(TypeError);
      await server.stop();
      await answer;
    });
  });

  it('is called off before its end is marked, and needs no end in a replay either', async () => {
    const ends = await recordThenServe(await ok(), (url) => {
      const controller = new AbortController();
      async function* unending(): AsyncGenerator<Uint8Array> {
        yield Buffer.from('first');
        controller.abort();
        await new Promise(() => undefined);
      }
      const body = ReadableStream.from(unending());
      return fetch(url, { method: 'POST', body, duplex: 'half', signal: controller.signal }).catch(errorFacts);
    });
    expectSame(ends);
    expect(ends.calls.only.lossy).toEqual([UNSENT_BODY_MARK]);
  });
});

describe('a fetch with', () => {
  it.each(sends)('%s', async (_name, send) => {
    const server = await echo();
    const ends = await recordThenServe(server, (url) => facts(send(url)));
    expectSame(ends);
    expect(ends.crossings.flatMap(({ exchanges }) => exchanges.map(({ layer }) => layer))).toEqual(['fetch']);
  });

  it('what was sent is what the server got', async () => {
    const bare = await echo();
    const recorded = await echo();
    undo();
    for (const [, send] of sends) await send(bare.url);
    undo = patchHttp();
    for (const [, send] of sends) await send(recorded.url);
    const comparable = ({ requests, port }: ScriptedServer): unknown =>
      JSON.parse(
        JSON.stringify(requests)
          .replaceAll(String(port), 'port')
          .replaceAll(/formdata-undici-\d+/g, 'boundary'),
      );
    expect(comparable(recorded)).toEqual(comparable(bare));
    await Promise.all([bare.stop(), recorded.stop()]);
  });
});

describe('the input of a fetch', () => {
  it.each([
    ['text', 'POST', 'text', { text: 'text' }],
    ['bytes', 'POST', new Uint8Array([255]), { base64: '/w==' }],
    ['a stream', 'POST', ReadableStream.from(parts()), { text: 'part one, part two' }],
  ] as const)('holds %s', async (_name, method, body, expected) => {
    const ends = await recordThenServe(await echo(), async (url) => {
      const duplex = body instanceof ReadableStream ? { duplex: 'half' } : {};
      // A stream can be sent once.
      if (body instanceof ReadableStream && body.locked) return undefined;
      return (await fetch(url, { method, body, ...duplex } as RequestInit)).text().then(() => undefined);
    });
    expect(JSON.parse(ends.crossings[0]?.input?.data ?? '')).toMatchObject({ method: 'POST', body: expected });
  });
});

describe('a response of which only the status is read', () => {
  it('is kept as far as it came, and served again', async () => {
    const server = await ScriptedServer.raw((socket) =>
      socket.write('HTTP/1.1 503 Busy\r\ncontent-length: 9\r\n\r\nhalf'),
    );
    const calls = new RecordedCalls();
    const detach = calls.attach();
    const held = await fetch(server.url);
    const [pending] = gate.pendingFacts();
    expect(pending?.slim).toMatchObject({ [ATTR_HTTP_RESPONSE_STATUS_CODE]: 503 });
    detach();
    await server.stop();
    const player = new TapePlayer(pending === undefined ? [] : [crossingOf(pending)]);
    const served = await player.during(() => fetch(server.url));
    expect([served.status, served.statusText]).toEqual([held.status, held.statusText]);
    await held.text().catch(() => undefined);
  });
});

describe('a fetch that fails', () => {
  it('is refused, with cause', async () => {
    const closed = await echo();
    const { url } = closed;
    await closed.stop();
    const ends = await recordThenServe(await echo(), () => facts(fetch(url)));
    expectSame(ends);
    expect(ends.recorded).toMatchObject([{ class: 'TypeError', cause: { code: 'ECONNREFUSED' } }, expect.any(String)]);
    expect(ends.calls.only).toMatchObject({ outcome: { type: 'threw' }, slim: { 'error.type': 'TypeError' } });
  });

  it('breaks off in the middle of the body', async () => {
    const server = await ScriptedServer.raw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf', () => setImmediate(() => socket.destroy()));
    });
    const ends = await recordThenServe(server, (url) => facts(fetch(url)));
    expectSame(ends);
    expect(ends.recorded).toContainEqual('half');
    expect(ends.recorded).toContainEqual(expect.objectContaining({ class: 'TypeError', message: 'terminated' }));
  });

  it.each([
    ['a reason', (controller: AbortController) => controller.abort(new RangeError('enough'))],
    ['none', (controller: AbortController) => controller.abort()],
  ])('is aborted with %s', async (_name, abort) => {
    const server = await ScriptedServer.raw(() => undefined);
    const ends = await recordThenServe(server, async (url) => {
      const controller = new AbortController();
      const seen = facts(fetch(url, { signal: controller.signal }));
      setImmediate(() => setImmediate(() => abort(controller)));
      return seen;
    });
    expectSame(ends);
    expect(ends.calls.only.outcome.type).toBe('aborted');
  });

  it('times out', async () => {
    const ends = await recordThenServe(await ScriptedServer.raw(() => undefined), (url) =>
      facts(fetch(url, { signal: AbortSignal.timeout(20) })),
    );
    expectSame(ends);
    expect(ends.recorded).toMatchObject([{ class: 'DOMException', name: 'TimeoutError' }, expect.any(String)]);
  });

  it.each([
    ['an address that is none', 'http://'],
    ['a scheme of its own', 'ftp://a/b'],
  ])('on %s it fails by itself and is no crossing', async (_name, address) => {
    const ends = await recordThenServe(await echo(), () => facts(fetch(address)), 0);
    expectSame(ends);
    expect(ends.calls.facts).toEqual([]);
  });
});
