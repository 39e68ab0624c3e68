import { context } from '@opentelemetry/api';
import { suppressTracing } from '@opentelemetry/core';
import { gate, runInContext, tool, withOwnedWire } from '@reenact/instrumentation';
import { RecordedCalls, TapePlayer } from '@reenact/instrumentation/testing';
import { ReenactError } from '@reenact/trace-model';
import type * as newest from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { errorFacts, patchHttp, recordAct, recordThenServe } from './http-suite.ts';
import { ScriptedServer } from './scripted-server.ts';

/** The copy of undici that is tested. */
let undici: typeof newest;
let undo = (): void => undefined;

const answering = (): Promise<ScriptedServer> =>
  ScriptedServer.start((request, response) => void response.end(`${request.method} ${request.url}`));

async function said(url: string, options: object = {}): Promise<string> {
  return (await undici.request(url, options)).body.text();
}

function whoIsTheCrossing(): void {
  it("is Node's fetch where it sends through an agent of undici", async () => {
    const server = await answering();
    const agent = new undici.Agent();
    // Before version 8 an agent takes what Node's own fetch tells it.
    const wrapped = undici.Dispatcher1Wrapper === undefined ? agent : new undici.Dispatcher1Wrapper(agent);
    const init = { dispatcher: wrapped } as unknown as RequestInit;
    const ends = await recordThenServe(server, async (url) => (await fetch(url, init)).text());
    expect(ends.replayed).toEqual(ends.recorded);
    expect(ends.calls.facts.length).toBe(1);
    expect(ends.crossings[0]?.exchanges[0]?.layer).toBe('fetch');
    await agent.close();
  });

  it('is whoever keeps the exchange around it, and nobody while tracing is suppressed', async () => {
    const server = await answering();
    const calls = new RecordedCalls();
    const detach = calls.attach();
    await runInContext(withOwnedWire(context.active()), () => said(server.url));
    await runInContext(suppressTracing(context.active()), () => said(server.url));
    detach();
    expect(server.requests.length).toBe(2);
    expect(calls.facts).toEqual([]);
    await server.stop();
  });
}

function severalRequests(): void {
  it('in parallel, finishing in reverse, each get their own answer', async () => {
    const waiting: (() => void)[] = [];
    const server = await ScriptedServer.start((request, response) => {
      waiting.push(() => response.end(request.url));
      if (waiting.length < 5) return;
      // The last that came is answered first.
      for (const answer of waiting.splice(0).reverse()) answer();
    });
    const ends = await recordThenServe(
      server,
      (url) => Promise.all([0, 1, 2, 3, 4].map((index) => said(`${url}/${index}`))),
      5,
    );
    expect(ends.recorded).toEqual(['/0', '/1', '/2', '/3', '/4']);
    expect(ends.replayed).toEqual(ends.recorded);
    expect(ends.player.changed).toEqual([]);
  });

  it('of a retry agent are one crossing each, and the retries run again', async () => {
    let count = 0;
    const server = await ScriptedServer.start((_request, response) => {
      count += 1;
      response.statusCode = count < 3 ? 503 : 200;
      response.end(`attempt ${count}`);
    });
    const act = async (url: string): Promise<unknown> => {
      const agent = new undici.RetryAgent(new undici.Agent(), { minTimeout: 1, maxTimeout: 5 });
      const { statusCode, body } = await undici.request(url, { dispatcher: agent });
      return [statusCode, await body.text()];
    };
    const ends = await recordThenServe(server, act, 3);
    expect(ends.replayed).toEqual([200, 'attempt 3']);
    expect(count).toBe(3);
    expect(ends.player.left).toEqual([]);
  });
}

function aReplay(): void {
  it('sends for real what its plan lets run, whole, once, with its position', async () => {
    const server = await answering();
    const act = (): Promise<string> => said(`${server.url}/live`, { method: 'POST', body: '{"a":1}' });
    const { calls } = await recordAct(act);
    const player = new TapePlayer(calls.crossings());
    Object.assign(player, { positionToken: () => 'replay-1.c1.signed' });
    player.live.add(`POST 127.0.0.1:${server.port}`);
    expect(await player.during(act)).toBe('POST /live');
    expect(server.requests.map(({ body, headers }) => [body, headers.baggage])).toEqual([
      ['{"a":1}', undefined],
      ['{"a":1}', 'reenact.replay=replay-1.c1.signed'],
    ]);
    expect(player.outcomes).toMatchObject([{ type: 'returned' }]);
    await server.stop();
  });

  it('refuses what was not recorded, and nothing is sent', async () => {
    const server = await answering();
    const player = new TapePlayer([]);
    const errors = await player.during(() =>
      Promise.all([
        said(server.url).catch((error: unknown) => error),
        undici.fetch(server.url).catch((error: TypeError) => error.cause),
        new undici.RetryAgent(new undici.Agent())
          .request({ origin: server.url, path: '/', method: 'GET' })
          .catch((error: unknown) => error),
      ]),
    );
    expect(errors.map((error) => error instanceof ReenactError)).toEqual([true, true, true]);
    expect(player.refusals.length).toBe(3);
    expect(server.requests).toEqual([]);
    await server.stop();
  });

  it('runs a live tool over the recorded answers', async () => {
    const server = await answering();
    const look = tool('look', async (url: string) => (await said(url)).length);
    const { recorded, calls } = await recordAct(() => look(server.url), 2);
    const { url } = server;
    await server.stop();
    const player = new TapePlayer(calls.crossings());
    player.live.add('look');
    expect(await player.during(() => look(url))).toBe(recorded);
  });
}

function everythingFailing(): void {
  it('leaves requests as they are', async () => {
    const fail = (): never => {
      throw new TypeError('ours');
    };
    const act = async (url: string): Promise<unknown> => [
      await said(url, { method: 'POST', body: 'body' }),
      await (await undici.fetch(url)).text(),
      await undici.request('http://127.0.0.1:1/').catch(errorFacts),
      await undici.request(url, { method: 'bad method' }).catch(errorFacts),
    ];
    const server = await answering();
    undo();
    const bare = await act(server.url);
    undo = patchHttp({ ignoreOutbound: fail }, undici);
    gate.configure({ recorder: { record: fail }, tracerProvider: { getTracer: fail } });
    expect(await act(server.url)).toEqual(bare);
    const manager = { active: fail, with: fail, bind: fail, enable: fail, disable: () => undefined };
    context.disable();
    context.setGlobalContextManager(manager as never);
    expect(await act(server.url)).toEqual(bare);
    context.disable();
    await server.stop();
  });

  it('is undone exactly', () => {
    const base = Object.getPrototypeOf(undici.Agent.prototype) as object;
    const patched = Reflect.get(base, 'dispatch');
    undo();
    const original = Reflect.get(base, 'dispatch');
    expect(original).not.toBe(patched);
    const once = patchHttp({}, undici);
    const twice = patchHttp({}, undici);
    twice();
    once();
    expect(Reflect.get(base, 'dispatch')).toBe(original);
  });
}

/** What the gate decides about requests of one copy of undici. */
export function describeGate(copy: typeof newest): void {
  undici = copy;
  beforeAll(() => {
    undo = patchHttp({}, undici);
  });
  afterEach(() => gate.configure({ recorder: undefined, tracerProvider: undefined }));
  afterAll(async () => {
    undo();
    await undici.getGlobalDispatcher().close();
  });
  describe('who is the crossing', whoIsTheCrossing);
  describe('several requests', severalRequests);
  describe('a replay', aReplay);
  describe('everything of ours failing', everythingFailing);
}
