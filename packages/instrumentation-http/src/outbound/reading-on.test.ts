import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { agent, type CrossingFacts, TURNS_READ_AHEAD } from '@reenact/instrumentation';
import { RecordedCalls } from '@reenact/instrumentation/testing';
import * as undici from 'undici';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { patchHttp } from '../testdata/http-suite.ts';
import { ScriptedServer } from '../testdata/scripted-server.ts';

let undo: () => void;
let server: ScriptedServer;
const second = http2.createServer((_request, response) => void response.writeHead(500).write('first'));
let calls: RecordedCalls;
let detach: () => void;

beforeAll(async () => {
  undo = patchHttp({}, undici);
  second.listen(0, '127.0.0.1');
  await once(second, 'listening');
  server = await ScriptedServer.start((_request, response) => void response.writeHead(500).write('first'));
});
afterAll(async () => {
  undo();
  second.close();
  await server.stop();
});
beforeEach(() => {
  calls = new RecordedCalls();
  detach = calls.attach();
});
afterEach(() => detach());

/** What was recorded of the request, version by version. */
function requests(): CrossingFacts[] {
  return calls.facts.filter(({ boundary }) => boundary.kind === 'http');
}

/** As long as somebody who only reads ahead may take to call it off, and what is told of whoever does not. */
async function turned(): Promise<void> {
  for (let turn = 0; turn < TURNS_READ_AHEAD + 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function ask(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => http.get(url, resolve).on('error', reject));
}

/** Begins to read a body, and gives how to stop. */
type Read = (told: () => void) => () => unknown;

function readerOf(body: AsyncIterable<unknown>, leave: () => unknown): Read {
  return (told) => {
    void (async () => {
      for await (const _part of body) told();
    })().catch(() => undefined);
    return leave;
  };
}

const clients: readonly (readonly [string, (url: string) => Promise<Read>])[] = [
  [
    'fetch',
    async (url) => {
      const leaving = new AbortController();
      const { body } = await fetch(url, { signal: leaving.signal });
      return readerOf(body as AsyncIterable<unknown>, () => leaving.abort());
    },
  ],
  [
    'node:http',
    async (url) => {
      const response = await ask(url);
      return readerOf(response, () => response.destroy());
    },
  ],
  [
    'undici',
    async (url) => {
      const { body } = await undici.request(url);
      return readerOf(body, () => body.destroy());
    },
  ],
  [
    'node:http2',
    async () => {
      const session = http2.connect(`http://127.0.0.1:${(second.address() as AddressInfo).port}`);
      const stream = session.request({ ':path': '/' });
      await once(stream, 'response');
      return readerOf(stream, () => {
        stream.close(http2.constants.NGHTTP2_CANCEL);
        session.close();
      });
    },
  ],
];

describe.each(clients)('an answer of %s that nobody waited for when its run ended', (_name, answered) => {
  it('is told of again, once, where somebody reads on and waits for more', async () => {
    const read = await agent('asks', () => answered(server.url))();
    await turned();
    expect(requests()).toMatchObject([{ outlivesRun: 'satisfied', outcome: { type: 'pending' } }]);
    const begun = Promise.withResolvers<void>();
    const leave = read(begun.resolve);
    await begun.promise;
    await turned();
    const exchanges = [{ response: { chunks: [[expect.any(Number), 'first']], end: 'open', reader: 'waiting' } }];
    expect(requests().slice(1)).toMatchObject([{ outlivesRun: 'waiting', outcome: { type: 'pending' }, exchanges }]);
    expect(requests()[1]?.endTime).toEqual(requests()[0]?.endTime);
    leave();
    await calls.settled(4);
    expect(requests().map(({ outcome }) => outcome.type)).toEqual(['pending', 'pending', 'aborted']);
  });
});
