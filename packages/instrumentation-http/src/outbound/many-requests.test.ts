import http from 'node:http';
import { BodyTape } from '@reenact/instrumentation';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patchHttp, recordAct, recordThenServe } from '../testdata/http-suite.ts';
import { logOf } from '../testdata/request-log.ts';
import { ScriptedServer } from '../testdata/scripted-server.ts';

let undo: () => void;
beforeAll(() => {
  undo = patchHttp();
});
afterAll(() => undo());

async function text(url: string): Promise<string> {
  return (await fetch(url)).text();
}

function getText(url: string, agent?: http.Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = agent === undefined ? {} : { agent };
    http.get(url, options, (response) =>
      response.toArray().then((parts) => resolve(Buffer.concat(parts).toString()), reject),
    );
  });
}

describe('many requests at once', () => {
  it('each gets its own answer, whatever order they finish in', async () => {
    const count = 20;
    const waiting: (() => void)[] = [];
    const server = await ScriptedServer.start((request, response) => {
      waiting.push(() => response.end(`answer to ${request.url}`));
      if (waiting.length === count) for (const answer of waiting.reverse()) answer();
    });
    const agent = new http.Agent({ keepAlive: true });
    const ends = await recordThenServe(
      server,
      (url) =>
        Promise.all(
          Array.from({ length: count }, (_, index) =>
            index % 2 === 0 ? text(`${url}/${index}`) : getText(`${url}/${index}`, agent),
          ),
        ),
      count,
    );
    expect(ends.replayed).toEqual(Array.from({ length: count }, (_, index) => `answer to /${index}`));
    expect(ends.replayed).toEqual(ends.recorded);
    expect(ends.player.left).toEqual([]);
    agent.destroy();
  });

  it('one after the other over one connection', async () => {
    const server = await ScriptedServer.start((request, response) => void response.end(request.url));
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const ends = await recordThenServe(
      server,
      async (url) => [await getText(`${url}/1`, agent), await getText(`${url}/2`, agent)],
      2,
    );
    expect(ends.replayed).toEqual(['/1', '/2']);
    agent.destroy();
  });
});

async function* chunksOf(url: string, way: 'fetch' | 'http'): AsyncGenerator<string> {
  const source: AsyncIterable<Uint8Array> | Iterable<Uint8Array> =
    way === 'fetch'
      ? ((await fetch(url)).body ?? [])
      : await new Promise<http.IncomingMessage>((resolve) => http.get(url, resolve));
  for await (const chunk of source) yield Buffer.from(chunk).toString();
}

describe('a stream of events', () => {
  it.each(['fetch', 'http'] as const)('of %s is not held back: each is read before the next is sent', async (way) => {
    let next = (): void => undefined;
    const server = await ScriptedServer.start((_request, response) => {
      let sent = 0;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      next = () => void (sent < 3 ? response.write(`data: ${sent++}\n\n`) : response.end());
      next();
    });
    const read = async (url: string): Promise<string[]> => {
      const events: string[] = [];
      for await (const chunk of chunksOf(url, way)) {
        events.push(chunk);
        // The server sends another one only when this one has been read.
        next();
      }
      return events;
    };
    const ends = await recordThenServe(server, read);
    expect(ends.recorded).toEqual(['data: 0\n\n', 'data: 1\n\n', 'data: 2\n\n']);
    expect(ends.replayed).toEqual(ends.recorded);
  });
});

describe('any body in any pieces', () => {
  it('goes through untouched and comes back in the same pieces', async () => {
    const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 300, size: 'max' }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(pieces, pieces, async (sent, answered) => {
        const server = await ScriptedServer.start((_request, response) => {
          const next = (index: number): void => {
            const piece = answered[index];
            if (piece === undefined) response.end();
            else response.write(piece, () => setImmediate(() => next(index + 1)));
          };
          next(0);
        });
        const ends = await recordThenServe(server, (url) => {
          const request = http.request(url, { method: 'POST' });
          for (const piece of sent) request.write(piece);
          return logOf(request.end());
        });
        expect(ends.replayed).toEqual(ends.recorded);
        expect(ends.player.changed).toEqual([]);
        expect(server.requests[0]?.body).toBe(Buffer.concat(sent).toString('latin1'));
      }),
      { numRuns: 30 },
    );
  });
});

describe('credentials', () => {
  const secret = 'sk-planted-4711';
  it('of headers and addresses are in no attribute, exchange or input', async () => {
    const server = await ScriptedServer.start((_request, response) => {
      response.writeHead(200, { 'set-cookie': `session=${secret}`, 'x-plain': 'stays' }).end('fine');
    });
    const { calls } = await recordAct(async () => {
      const headers = { authorization: `Bearer ${secret}`, cookie: `a=${secret}`, 'x-api-key': secret };
      await text(`${server.url}/a?api_key=${secret}&b=1`);
      await (await fetch(server.url, { headers })).text();
      await logOf(http.get(`${server.url}/c?token=${secret}`, { headers, auth: `user:${secret}` }));
    }, 3);
    await server.stop();
    const kept = JSON.stringify(calls.facts, (key, value: unknown) => (key === 'span' ? undefined : value));
    expect(kept).not.toContain(secret);
    expect(kept).not.toContain(Buffer.from(`user:${secret}`).toString('base64'));
    expect(kept).toContain('stays');
    expect(calls.facts[0]?.lossy).toEqual(['/exchanges/0/response/headers/set-cookie redacted']);
    expect(server.requests[1]?.headers.authorization).toBe(`Bearer ${secret}`);
  });
});

describe('cookies of the network in between', () => {
  it('are kept out, and a recording lacks nothing without them', async () => {
    const server = await ScriptedServer.start((_request, response) => {
      response.writeHead(200, { 'set-cookie': ['__cf_bm=planted-4711; path=/', 'AWSALB=planted-4712'] }).end('fine');
    });
    const { calls } = await recordAct(async () => {
      await text(server.url);
      await logOf(http.get(server.url));
    }, 2);
    await server.stop();
    expect(JSON.stringify(calls.facts, (key, value: unknown) => (key === 'span' ? undefined : value))).not.toContain(
      'planted',
    );
    expect(calls.facts.map(({ lossy }) => lossy)).toEqual([[], []]);
  });
});

describe('a body that is too long to keep', () => {
  it('is counted and digested, and nothing of it is kept', () => {
    const tape = new BodyTape(4);
    tape.keep(Buffer.from('abc'), 0);
    expect(tape.cut).toBeUndefined();
    tape.keep(Buffer.from('def'), 1);
    expect(tape.chunks).toEqual([]);
    expect(tape.cut).toEqual({
      bytes: 6,
      sha256: 'bef57ec7f53a6d40beb640a780a639c83bc29ac8a9816f1fc6c5c6dcd93c4721',
    });
  });
});
