import http, { type IncomingMessage } from 'node:http';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { agent, TURNS_READ_AHEAD } from '@reenact/instrumentation';
import { TapePlayer } from '@reenact/instrumentation/testing';
import * as undici from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patchHttp, recordAct } from '../testdata/http-suite.ts';
import { ScriptedServer } from '../testdata/scripted-server.ts';

let undo: () => void;
beforeAll(() => {
  undo = patchHttp({}, undici);
});
afterAll(() => undo());

/** More than the clients take before they are asked for it. */
const begun = 'x'.repeat(200_000);

/** Fails a request with half of an explanation, and never sends the other half. */
function unending(): Promise<ScriptedServer> {
  return ScriptedServer.start((_request, response) => void response.writeHead(429).write(begun));
}

type Act = (url: string) => Promise<unknown>;

async function ask(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => http.get(url, resolve).on('error', reject));
}

/** As node-fetch does: at once the body goes on to a stream that its caller may read. */
async function askThrough(
  url: string,
): Promise<{ readonly statusCode: number | undefined; readonly body: PassThrough }> {
  const response = await ask(url);
  return { statusCode: response.statusCode, body: pipeline(response, new PassThrough(), () => undefined) };
}

/** Until nothing more is taken without being asked for. */
async function filled(body: Readable): Promise<void> {
  while (body.readableLength < body.readableHighWaterMark) await new Promise(setImmediate);
}

const clients: readonly (readonly [string, Act, Act])[] = [
  [
    'node:http',
    async (url) => {
      const response = await ask(url);
      await filled(response);
      response.destroy();
      return response.statusCode;
    },
    async (url) => text(await ask(url)),
  ],
  [
    'undici',
    async (url) => {
      const { statusCode, body } = await undici.request(url);
      await filled(body);
      body.on('error', () => undefined).destroy();
      return statusCode;
    },
    async (url) => (await undici.request(url)).body.text(),
  ],
];

describe.each(clients)('an answer of which a program of %s looked at the status alone', (_name, look, read) => {
  it('is given again as far, and refused by name to one that reads all of it', async () => {
    const server = await unending();
    const { url } = server;
    const { recorded, calls } = await recordAct(() => look(url));
    await server.stop();
    const crossings = calls.crossings();
    expect(crossings[0]?.exchanges[0]?.response).toMatchObject({ end: 'aborted', reader: 'satisfied' });
    const same = new TapePlayer(crossings);
    expect(await same.during(() => look(url))).toBe(recorded);
    expect(same.refusals).toEqual([]);
    const further = new TapePlayer(crossings);
    await expect(further.during(() => read(url))).rejects.toMatchObject({ code: 'replay-refused' });
    expect(further.refusals).toEqual([expect.stringMatching(/reads more of the answer \(status 429\)/)]);
  });
});

describe('an answer that nobody has begun to read when its run ends', () => {
  const looks: readonly (readonly [string, Act])[] = [
    ['node:http', async (url) => (await ask(url)).statusCode],
    ['node:http, as node-fetch', async (url) => (await askThrough(url)).statusCode],
    ['undici', async (url) => (await undici.request(url)).statusCode],
    ['fetch', async (url) => (await fetch(url)).status],
  ];

  it.each(looks)('is refused to nobody, however long the program goes on: %s', async (_name, look) => {
    const server = await ScriptedServer.start((_request, response) => void response.writeHead(429).write('half'));
    const { url } = server;
    const run = agent('looks', () => look(url));
    const { calls } = await recordAct(run, 2);
    await server.stop();
    const player = new TapePlayer(calls.crossings().slice(0, 2));
    const goOn = async (): Promise<unknown> => {
      const status = await run();
      for (let turn = 0; turn < TURNS_READ_AHEAD * 2; turn += 1) await new Promise(setImmediate);
      return status;
    };
    expect(await player.during(goOn)).toBe(429);
    expect([player.refusals, player.left]).toEqual([[], []]);
  });

  it('is refused to who reads the stream that it goes on to', async () => {
    const server = await ScriptedServer.start((_request, response) => void response.writeHead(429).write('half'));
    const { url } = server;
    const { calls } = await recordAct(
      agent('looks', async () => (await askThrough(url)).statusCode),
      2,
    );
    await server.stop();
    const player = new TapePlayer(calls.crossings().slice(0, 2));
    await expect(player.during(agent('looks', async () => text((await askThrough(url)).body)))).rejects.toThrow();
    expect(player.refusals).toEqual([expect.stringMatching(/reads more of the answer \(status 429\)/)]);
  });
});
