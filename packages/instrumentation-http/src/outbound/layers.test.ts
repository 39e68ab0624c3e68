import http from 'node:http';
import { tool } from '@reenact/instrumentation';
import { TapePlayer } from '@reenact/instrumentation/testing';
import { ReenactError } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorFacts, patchHttp, recordAct } from '../testdata/http-suite.ts';
import { logOf } from '../testdata/request-log.ts';
import { ScriptedServer } from '../testdata/scripted-server.ts';

let undo: () => void;
beforeAll(() => {
  undo = patchHttp();
});
afterAll(() => undo());

describe('a tool that runs live', () => {
  it('parses the recorded 429 and its half-written JSON, and nothing is sent', async () => {
    const server = await ScriptedServer.start((_request, response) => {
      response.writeHead(429, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"error":{"message":"slow', () => setImmediate(() => response.destroy()));
    });
    let runs = 0;
    const quote = tool('get_quote', async (url: string): Promise<unknown> => {
      runs += 1;
      const response = await fetch(url);
      const body: unknown = await response.json().catch((error: unknown) => errorFacts(error));
      return { status: response.status, body };
    });
    const { url } = server;
    const { recorded, calls } = await recordAct(() => quote(url), 2);
    await server.stop();
    const player = new TapePlayer(calls.crossings());
    player.live.add('get_quote');
    expect(await player.during(() => quote(url))).toEqual(recorded);
    expect(runs).toBe(2);
    expect(recorded).toMatchObject({ status: 429, body: { message: 'terminated' } });
    expect(player.outcomes).toMatchObject([{ type: 'returned' }]);
    expect(player.left).toEqual([]);
  });
});

const posts = (url: string): Promise<unknown[]> =>
  logOf(http.request(`${url}/x`, { method: 'POST', headers: { 'x-a': ['1', '2'] } }).end('{"sent":true}'));
const fetches = async (url: string): Promise<unknown> => {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(Buffer.from('{"sent":true}'));
      controller.close();
    },
  });
  const response = await fetch(`${url}/x`, { method: 'POST', headers: { 'x-a': '1, 2' }, body, duplex: 'half' });
  return [response.status, await response.text()];
};
const reads = async (url: string): Promise<unknown> => {
  const response = await fetch(
    new Request(`${url}/x`, { method: 'POST', headers: { 'x-a': '1, 2' }, body: '{"sent":true}' }),
  );
  return [response.status, await response.text()];
};

describe('a request that a replay sends for real', () => {
  it.each([
    ['node:http', posts],
    ['a streamed fetch', fetches],
    ['a Request', reads],
  ])('%s: gets there whole, once, and ends as it would have', async (_name, act) => {
    const server = await ScriptedServer.start((request, response) => {
      response.writeHead(201, { 'content-type': 'text/plain', date: 'today' });
      response.write(`${request.headers['x-a']} `, () => setImmediate(() => response.end('done')));
    });
    const { recorded, calls } = await recordAct(() => act(server.url));
    const player = new TapePlayer(calls.crossings());
    player.live.add(`POST 127.0.0.1:${server.port}`);
    const replayed = await player.during(() => act(server.url));
    expect(replayed).toEqual(recorded);
    expect(server.requests.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['POST', '/x', '{"sent":true}'],
      ['POST', '/x', '{"sent":true}'],
    ]);
    expect(player.outcomes.length).toBe(1);
    await server.stop();
  });

  it('fails as the real one does, and is called off with it', async () => {
    let limit = (): void => undefined;
    const server = await ScriptedServer.raw(() => limit());
    const calledOff = (): Promise<unknown> => {
      const request = http.get(server.url);
      // Its time begins when the request is there: on a busy machine it was over before that.
      limit = () => void request.setTimeout(20, () => request.destroy());
      return logOf(request);
    };
    const { recorded, calls } = await recordAct(calledOff);
    const player = new TapePlayer(calls.crossings());
    player.live.add(`GET 127.0.0.1:${server.port}`);
    expect(await player.during(calledOff)).toEqual(recorded);
    await server.stop();
    const refused = new TapePlayer(calls.crossings());
    refused.live.add(`GET 127.0.0.1:${server.port}`);
    const log = await refused.during(() => logOf(http.get(server.url)));
    expect(log).toContainEqual(['error', expect.objectContaining({ code: 'ECONNREFUSED' })]);
  });
});

describe('a request that was not recorded', () => {
  it('is refused with an error of the replay, and nothing is sent', async () => {
    const server = await ScriptedServer.start((_request, response) => void response.end());
    const player = new TapePlayer([]);
    const [byFetch, byRequest] = await player.during(() =>
      Promise.all([fetch(server.url).catch((error: unknown) => error), logOf(http.get(server.url))]),
    );
    expect(byFetch).toBeInstanceOf(ReenactError);
    expect(byRequest).toContainEqual(['error', expect.objectContaining({ code: 'replay-refused' })]);
    expect(server.requests).toEqual([]);
    await server.stop();
  });

  it('at this layer: another client asks for it now', async () => {
    const server = await ScriptedServer.start((_request, response) => void response.end('answer'));
    const { calls } = await recordAct(async () => (await fetch(server.url)).text());
    const player = new TapePlayer(calls.crossings());
    const log = await player.during(() => logOf(http.get(server.url)));
    expect(log).toContainEqual(['error', expect.objectContaining({ code: 'replay-refused' })]);
    expect(player.refusals).toEqual([expect.stringContaining('layer fetch')]);
    await server.stop();
  });
});

type SendHeaders = (url: string, headers: Record<string, string>) => Promise<unknown>;

describe('a request that changed', () => {
  it.each([
    ['its body', { method: 'POST', body: '{"a":2}', extra: 'y' }, true],
    ['only how its body is written', { method: 'POST', body: '{ "a" : 1 }', extra: 'y' }, false],
    ['one header', { method: 'POST', body: '{"a":1}', extra: 'x' }, true],
  ])('%s', async (_name, { extra, ...init }, isChange) => {
    const server = await ScriptedServer.start((_request, response) => void response.end('answer'));
    const send = (made: RequestInit, id: string): Promise<string> =>
      fetch(server.url, { ...made, headers: { 'content-type': 'application/json', 'x-id': id } }).then((r) => r.text());
    const { calls } = await recordAct(() => send({ method: 'POST', body: '{"a":1}' }, 'y'));
    const player = new TapePlayer(calls.crossings());
    await player.during(() => send(init, extra));
    expect(player.changed.length).toBe(isChange ? 1 : 0);
    await server.stop();
  });

  it.each<[string, SendHeaders]>([
    ['fetch', (url, headers) => fetch(url, { headers }).then((response) => response.text())],
    ['node:http', (url, headers) => logOf(http.request(url, { headers }).end())],
    [
      'node:http, headers as a list',
      (url, headers) => logOf(http.request(url, { headers: Object.entries(headers).flat() }).end()),
    ],
  ])('by headers, made by %s: told of all but those that are another for every request', async (_name, send) => {
    const server = await ScriptedServer.start((_request, response) => void response.end('answer'));
    const given = { accept: 'text/plain', 'X-Tenant': 'one', 'user-agent': 'before', authorization: 'Bearer before' };
    const { calls } = await recordAct(() => send(server.url, given));
    const changedBy = async (change: Record<string, string>): Promise<boolean> => {
      const player = new TapePlayer(calls.crossings());
      await player.during(() => send(server.url, { ...given, ...change }));
      return player.changed.length > 0;
    };
    const own = { 'user-agent': 'now', authorization: 'Bearer now', 'x-request-id': '2', traceparent: '00-1' };
    expect([await changedBy({}), await changedBy(own)]).toEqual([false, false]);
    expect(await changedBy({ 'X-Tenant': 'two' })).toBe(true);
    expect(await changedBy({ accept: '*/*' })).toBe(true);
    expect(await changedBy({ 'x-added': '1' })).toBe(true);
    expect(JSON.stringify(calls.crossings()[0]?.input)).not.toContain('before');
    await server.stop();
  });

  it('by nothing but the boundary of its form', async () => {
    const server = await ScriptedServer.start((_request, response) => void response.end('answer'));
    const send = (boundary: string): Promise<unknown[]> => {
      const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
      const body = `--${boundary}\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n--${boundary}--\r\n`;
      return logOf(http.request(server.url, { method: 'POST', headers }).end(body));
    };
    const { calls } = await recordAct(() => send('one-boundary'));
    const player = new TapePlayer(calls.crossings());
    await player.during(() => send('another-boundary'));
    expect(player.changed).toEqual([]);
    await server.stop();
  });
});
