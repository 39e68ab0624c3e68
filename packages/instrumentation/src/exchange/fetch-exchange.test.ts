import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { chunkBytes, type Exchange, exchangeText, isEventStream } from '@reenact/trace-model';
import { exchangeSchema } from '@reenact/trace-model/reading';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { serveFetchExchange } from '../index.ts';
import { ExchangeServer } from '../testdata/exchange-server.ts';
import { recordedFetch, servedAtOnce } from '../testdata/fetch-recording.ts';

let server: ExchangeServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

async function chunksOf(response: Response): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of response.body ?? []) chunks.push(Buffer.from(chunk));
  return chunks;
}

interface Ended {
  isOver: boolean;
  exchange: Exchange | undefined;
}

/** Fetches, looks at the status, and holds on to nothing but the exchange. */
async function forgottenFetch(url: string): Promise<Ended> {
  const { response, exchange } = recordedFetch(url);
  const ended: Ended = { isOver: false, exchange: undefined };
  void exchange.then((value) => Object.assign(ended, { isOver: true, exchange: value }));
  expect((await response).status).toBe(200);
  return ended;
}

/** A response whose body gives exactly these chunks, from a byte stream or a plain one. */
function responseOf(chunks: readonly Uint8Array[], isBytes: boolean): Response {
  const rest = [...chunks];
  const pull = (controller: { enqueue(chunk: Uint8Array<ArrayBuffer>): void; close(): void }): void => {
    const chunk = rest.shift();
    if (chunk === undefined) controller.close();
    else controller.enqueue(Uint8Array.from(chunk));
  };
  const body = isBytes ? new ReadableStream({ type: 'bytes', pull }) : new ReadableStream({ pull });
  return new Response(body, { headers: { 'content-type': 'application/octet-stream' } });
}

describe('any body in any pieces', () => {
  it('passes through untouched and is served in the same pieces', async () => {
    const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40, size: 'max' }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(pieces, fc.boolean(), async (chunks, isBytes) => {
        const recording = recordedFetch('http://host/', {}, async () => responseOf(chunks, isBytes));
        expect(await chunksOf(await recording.response)).toEqual(chunks.map((chunk) => Buffer.from(chunk)));
        const exchange = exchangeSchema.parse(await recording.exchange);
        expect(exchange.response?.end).toBe('complete');
        const served = await serveFetchExchange(exchange, servedAtOnce);
        expect(await chunksOf(served)).toEqual(chunks.map((chunk) => Buffer.from(chunk)));
      }),
    );
  });

  it('is text where its whole bytes are UTF-8, however they were cut', () => {
    const cuts = fc.array(fc.nat({ max: 200 }), { maxLength: 6 });
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), cuts, (text, positions) => {
        const bytes = Buffer.from(text);
        const sorted = [0, ...positions.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
        const pieces = sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
        expect(exchangeText(pieces)).toBe(text);
      }),
    );
    expect(exchangeText([Uint8Array.of(0xff)])).toBeUndefined();
  });
});

describe('a response from the wire', () => {
  it('keeps status, headers, address and class, and so does what is served', async () => {
    server = await ExchangeServer.start((response) => {
      response.writeHead(418, 'Tea', { 'x-a': 'b', 'set-cookie': ['a=1', 'b=2'] }).end('short and stout');
    });
    const recording = recordedFetch(server.url);
    const response = await recording.response;
    expect(response).toBeInstanceOf(Response);
    expect(response).toMatchObject({
      status: 418,
      statusText: 'Tea',
      url: server.url,
      redirected: false,
      type: 'basic',
    });
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(() => response.headers.set('x-a', 'c')).toThrow(TypeError);
    expect(await response.clone().text()).toBe('short and stout');
    expect(await response.text()).toBe('short and stout');
    expect(response.bodyUsed).toBe(true);
    const served = await serveFetchExchange(await recording.exchange, servedAtOnce);
    expect(served).toMatchObject({ status: 418, statusText: 'Tea', url: server.url, redirected: false, type: 'basic' });
    expect(served.headers.get('x-a')).toBe('b');
    expect(await served.text()).toBe('short and stout');
  });

  it('is not read ahead of the host', async () => {
    let pulls = 0;
    const pull = (controller: ReadableByteStreamController): void => {
      pulls += 1;
      controller.enqueue(new Uint8Array([pulls]));
    };
    const body = new ReadableStream({ type: 'bytes', pull }, { highWaterMark: 0 });
    const recording = recordedFetch('http://host/', {}, async () => new Response(body));
    const reader = (await recording.response).body?.getReader();
    await new Promise(setImmediate);
    expect(pulls).toBe(0);
    expect((await reader?.read())?.value).toEqual(Uint8Array.of(1));
    expect(pulls).toBe(1);
    await reader?.cancel('enough');
    expect((await recording.exchange).response).toMatchObject({
      end: 'aborted',
      chunks: [[expect.any(Number), '\u0001']],
    });
  });

  it('that cannot be tapped is handed on as it is, and said to be unread', async () => {
    const foreign = { status: 200, statusText: '', url: '', headers: new Headers(), body: { pipe: () => undefined } };
    const recording = recordedFetch('http://host/', {}, async () => foreign as unknown as Response);
    expect(await recording.response).toBe(foreign);
    expect((await recording.exchange).response?.end).toBe('open');
  });

  it('tells an event stream by its content type only', () => {
    expect(isEventStream([['Content-Type', 'Text/Event-Stream; charset=utf-8']])).toBe(true);
    expect(isEventStream([['accept', 'text/event-stream']])).toBe(false);
    expect(isEventStream([])).toBe(false);
  });
});

describe('aborting', () => {
  it('errors an idle reader at once, with the same reason, recorded and served', async () => {
    server = await ExchangeServer.start((response) => response.writeHead(200).write('begun'));
    const reason = new TypeError('the user left');
    const controller = new AbortController();
    const recording = recordedFetch(server.url, { signal: controller.signal });
    const reader = (await recording.response).body?.getReader();
    await reader?.read();
    controller.abort(reason);
    await expect(reader?.closed).rejects.toBe(reason);
    const exchange = await recording.exchange;
    expect(exchange.response?.end).toBe('aborted');
    const again = new AbortController();
    const served = await serveFetchExchange(exchange, { ...servedAtOnce, signal: again.signal });
    const servedReader = served.body?.getReader();
    expect(Buffer.from((await servedReader?.read())?.value ?? []).toString()).toBe('begun');
    const next = servedReader?.read();
    again.abort(reason);
    await expect(next).rejects.toBe(reason);
  });

  it('of a request without an answer keeps the served one pending until then', async () => {
    const exchange = exchangeSchema.parse({
      layer: 'fetch',
      attempt: 0,
      startedAtUnixNano: '0',
      request: { method: 'GET', url: 'http://host/', headers: [] },
    });
    const controller = new AbortController();
    const served = serveFetchExchange(exchange, { ...servedAtOnce, wasAborted: true, signal: controller.signal });
    controller.abort('bye');
    await expect(served).rejects.toBe('bye');
    await expect(serveFetchExchange(exchange, { ...servedAtOnce, signal: AbortSignal.abort('was') })).rejects.toBe(
      'was',
    );
  });
});

describe('a body the host forgets', () => {
  it('gives its exchange as unread when it is abandoned, once', async () => {
    server = await ExchangeServer.start((response) => response.writeHead(200).end('never read'));
    const recording = recordedFetch(server.url);
    const response = await recording.response;
    recording.recorder.abandon();
    expect((await recording.exchange).response).toMatchObject({ end: 'open', chunks: [], hasBody: true });
    expect(await response.text()).toBe('never read');
    expect(recording.recorder.isOver).toBe(true);
  });
});

describe('a response the host lets go of', () => {
  it('is collected, and its exchange told as unread', async () => {
    server = await ExchangeServer.start((response) => response.writeHead(200).end('never read'));
    setFlagsFromString('--expose_gc');
    const collect = runInNewContext('gc') as () => void;
    const ended = await forgottenFetch(server.url);
    while (!ended.isOver) {
      collect();
      await new Promise(setImmediate);
    }
    expect(ended.exchange?.response).toMatchObject({ end: 'open', chunks: [] });
  });
});

describe('recorded chunks', () => {
  it('carry the time at which they came, in order, in microseconds', async () => {
    server = await ExchangeServer.start((response) => {
      response.writeHead(200).write('first', () => setImmediate(() => response.end('second')));
    });
    const recording = recordedFetch(server.url);
    await (await recording.response).text();
    const { response } = await recording.exchange;
    const times = [
      response?.headersAfterUs ?? -1,
      ...(response?.chunks ?? []).map(([offsetUs]) => offsetUs),
      response?.endAfterUs ?? -1,
    ];
    expect(times).toEqual([...times].sort((left, right) => left - right));
    expect(times[0]).toBeGreaterThan(0);
    expect(Buffer.concat((response?.chunks ?? []).map(chunkBytes)).toString()).toBe('firstsecond');
  });
});
