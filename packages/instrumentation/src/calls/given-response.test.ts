import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { agent, tool } from '../index.ts';
import { RecordingHost } from '../testdata/recording-host.ts';
import { recordAndReplay } from '../testdata/replay-of.ts';

let server: Server;
let url: string;
/** How many requests came. */
let requests = 0;
beforeAll(async () => {
  server = createServer((request, response) => {
    requests += 1;
    if (request.url === '/from') return void response.writeHead(302, { location: '/' }).end();
    if (request.url === '/empty') return void response.writeHead(204).end();
    response.writeHead(request.url === '/missing' ? 404 : 200, { 'content-type': 'application/json', 'x-count': '7' });
    response.write('{"pieces":', () => {
      if (request.url === '/broken') setImmediate(() => response.destroy());
      else setImmediate(() => response.end('[1,2]}'));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

let host: RecordingHost;
beforeEach(() => {
  host = new RecordingHost();
});
afterEach(() => host.stop());

const get = tool('get', async (path: string) => fetch(url + path));

/** All that can be seen of a response, read to its end. */
async function facts(response: Response): Promise<unknown> {
  const { status, statusText, url: from, type, ok, redirected } = response;
  const seen: unknown[] = [{ status, statusText, from, type, ok, redirected, count: response.headers.get('x-count') }];
  seen.push(response.constructor === Response, response.bodyUsed);
  try {
    for await (const chunk of response.body ?? []) seen.push(Buffer.from(chunk).toString('latin1'));
  } catch (error) {
    seen.push(error instanceof TypeError, String(error));
  }
  return seen;
}

async function recordedTool(): Promise<{ lossy: unknown; call: unknown }> {
  const { attributes } = await host.recordedAs('execute_tool get');
  return { lossy: attributes['reenact.lossy'], call: attributes['reenact.call'] };
}

/** Records it, serves it with nothing sent, and gives what the host saw both times. */
async function expectSame(act: () => Promise<unknown>): Promise<unknown> {
  let sentInReplay = 0;
  const between = (): void => {
    sentInReplay = requests;
  };
  const { recorded, replayed, player } = await recordAndReplay(host, agent('main', act), { between });
  expect(replayed).toEqual(recorded);
  expect([player.refusals, requests - sentInReplay]).toEqual([[], 0]);
  return recorded;
}

describe('a response that a tool gives', () => {
  it.each(['/', '/missing', '/empty', '/broken', '/from'])(
    'comes again, whole and to be read, from %s',
    async (path) => {
      await expectSame(async () => facts(await get(path)));
      expect(await recordedTool()).toEqual({ lossy: undefined, call: 'exchange' });
    },
  );

  it('comes again where nobody fetched it', async () => {
    const answer = tool('get', async () => Response.json({ a: [1] }, { status: 201, headers: { 'x-count': '1' } }));
    await expectSame(async () => facts(await answer()));
  });

  it('is the very one where there is nothing to watch of it, and else is read as it comes', async () => {
    const given = new Response(null, { status: 204 });
    const giveIt = tool('get', async () => given);
    const giveJson = tool('get', async () => Response.json({ a: 1 }));
    await agent('main', async () => {
      expect(await giveIt()).toBe(given);
      const read = await giveJson();
      expect([await read.json(), read.bodyUsed]).toEqual([{ a: 1 }, true]);
    })();
  });

  it('comes again with the part that was read, and more is refused', async () => {
    const reader = async (reads: number): Promise<unknown> => {
      const body = (await get('/')).body?.getReader();
      const first = await body?.read();
      if (reads > 1) await body?.read();
      await body?.cancel();
      return Buffer.from(first?.value ?? []).toString();
    };
    let reads = 1;
    const { recorded, replayed } = await recordAndReplay(host, () => agent('main', () => reader(reads))());
    expect(replayed).toEqual(recorded);
    host.recordings.reset();
    const more = await recordAndReplay(host, () => agent('main', () => reader(reads))(), {
      between: () => (reads = 2),
    });
    expect(more.replayed).toMatchObject({ error: expect.anything() });
  });
});

describe('a response that a tool gives and does not let go of', () => {
  it('is told as lost where it was read before, and where it is of another class', async () => {
    class Answer extends Response {}
    const read = async (): Promise<Response> => {
      const response = await fetch(url);
      await response.text();
      return response;
    };
    const giveRead = tool('get', read);
    expect((await agent('main', async () => giveRead())()).bodyUsed).toBe(true);
    expect(await recordedTool()).toEqual({ lossy: ['/output handle Response'], call: 'promise' });
    host.recordings.reset();
    const giveAnswer = tool('get', async () => new Answer('text'));
    expect(await agent('main', async () => giveAnswer())()).toBeInstanceOf(Answer);
    expect(await recordedTool()).toMatchObject({ call: 'promise' });
  });

  it('can be kept by the tool, given again and copied as if nobody watched it', async () => {
    const cache = new Map<string, Response>();
    const cached = tool('get', async (path: string) => {
      const kept = cache.get(path) ?? (await fetch(url + path));
      cache.set(path, kept);
      return kept;
    });
    const [first, second] = await agent('main', async () => [await cached('/'), await cached('/')] as const)();
    expect([await second.clone().json(), await first.clone().text()]).toEqual([{ pieces: [1, 2] }, '{"pieces":[1,2]}']);
    expect([first.bodyUsed, second.bodyUsed, await second.json(), first.bodyUsed, second.bodyUsed]).toEqual([
      ...[false, false, { pieces: [1, 2] }],
      ...[true, true],
    ]);
    await expect(first.text()).rejects.toThrow(TypeError);
  });

  it('is given on by a tool around it', async () => {
    const outer = tool('outer', async (path: string) => get(path));
    await expectSame(async () => facts(await outer('/')));
  });

  it('is its own where an agent gives it, or a root: their code runs again', async () => {
    const given = new Response('text');
    const inner = agent('inner', async () => given);
    expect(await agent('outer', async () => inner())()).toBe(given);
    expect(await tool('get', async () => given)()).toBe(given);
    expect(await recordedTool()).toEqual({ lossy: ['/output handle Response'], call: 'promise' });
  });
});
