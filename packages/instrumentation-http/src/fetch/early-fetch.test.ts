import { gzipSync } from 'node:zlib';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { RecordedCalls, TapePlayer } from '@reenact/instrumentation/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patchHttp, recordAct, recordThenServe } from '../testdata/http-suite.ts';
import { ScriptedServer } from '../testdata/scripted-server.ts';

/** As a client keeps it that is made before anything is patched. */
const early = globalThis.fetch;

let undo: () => void;
beforeAll(() => {
  undo = patchHttp();
});
afterAll(() => undo());

const answering = async (): Promise<ScriptedServer> => {
  const server = await ScriptedServer.start((request, response) => {
    response.setHeader('x-kind', 'echo');
    response.write(`${request.method} ${request.url} `);
    response.end(server.requests.at(-1)?.body);
  });
  return server;
};

async function said(response: Response): Promise<unknown[]> {
  return [response.status, response.headers.get('x-kind'), await response.text()];
}

describe('a fetch that somebody took before it was patched', () => {
  it('is a crossing all the same, and served without a connection', async () => {
    const server = await answering();
    const asked = async (url: string): Promise<unknown> => [
      await said(await early(`${url}/one`)),
      await said(await early(`${url}/two`, { method: 'POST', body: '{"a":1}' })),
    ];
    const { recorded, replayed, calls } = await recordThenServe(server, asked, 2);
    expect(recorded).toEqual([
      [200, 'echo', 'GET /one '],
      [200, 'echo', 'POST /two {"a":1}'],
    ]);
    expect(replayed).toEqual(recorded);
    expect(server.requests.length).toBe(2);
    expect(calls.facts.map(({ boundary }) => boundary.kind)).toEqual(['http', 'http']);
  });

  it('is one crossing where it goes through the patched one', async () => {
    const server = await answering();
    const { calls, recorded, replayed } = await recordThenServe(server, async (url) => said(await fetch(url)));
    expect(replayed).toEqual(recorded);
    expect(calls.facts.map(({ exchanges }) => exchanges[0]?.layer)).toEqual(['fetch']);
  });

  it('is one crossing where contexts reach nothing, as beside an SDK that has taken them away', async () => {
    const server = await answering();
    const calls = new RecordedCalls();
    const detach = calls.attach();
    context.disable();
    await said(await fetch(server.url));
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    await calls.settled(1);
    detach();
    await server.stop();
    expect(calls.facts.map(({ exchanges }) => exchanges[0]?.layer)).toEqual(['fetch']);
  });

  it('is none where it is ignored, nor is what it is redirected to', async () => {
    const server = await ScriptedServer.start((request, response) => {
      if (request.url === '/ignored') response.writeHead(302, { location: '/elsewhere' }).end();
      else response.end('elsewhere');
    });
    undo();
    undo = patchHttp({ ignoreOutbound: ({ url }) => url.pathname === '/ignored' });
    const calls = new RecordedCalls();
    const detach = calls.attach();
    expect(await (await fetch(`${server.url}/ignored`)).text()).toBe('elsewhere');
    detach();
    await server.stop();
    expect(calls.facts).toEqual([]);
  });
});

describe('a fetch that was recorded below the patched one', () => {
  it('is served where it is the patched one in the replay, packed and redirected as it was', async () => {
    const server = await ScriptedServer.start((request, response) => {
      if (request.url === '/moved') return void response.writeHead(307, { location: '/packed' }).end();
      response.setHeader('content-encoding', 'gzip').end(gzipSync(`${request.method} ${request.url}`));
    });
    let taken = early;
    const asked = async (url: string): Promise<unknown> => [
      await said(await taken(`${url}/packed`, { method: 'POST', body: '{"a":1}', headers: { 'x-own': '1' } })),
      await said(await taken(`${url}/moved`)),
    ];
    const { recorded, calls } = await recordAct(() => asked(server.url), 3);
    await server.stop();
    expect(recorded).toEqual([
      [200, null, 'POST /packed'],
      [200, null, 'GET /packed'],
    ]);
    expect(calls.facts.map(({ exchanges }) => exchanges[0]?.layer)).toEqual(['http', 'http', 'http']);
    taken = fetch;
    const player = new TapePlayer(calls.crossings());
    expect(await player.during(() => asked(server.url))).toEqual(recorded);
    expect([player.changed, player.refusals, player.left]).toEqual([[], [], []]);
  });

  it('is not handed to a dispatcher that asks no gate, which would send it', async () => {
    const server = await answering();
    const { calls } = await recordAct(() => early(server.url).then(said));
    await server.stop();
    let dispatched = 0;
    const foreign = {
      dispatch: (): boolean => {
        dispatched += 1;
        throw new Error('sent');
      },
    };
    const init = { dispatcher: foreign } as unknown as RequestInit;
    const player = new TapePlayer(calls.crossings());
    await player.during(() => fetch(server.url, init).then(said, String));
    expect(dispatched).toBe(0);
  });
});
