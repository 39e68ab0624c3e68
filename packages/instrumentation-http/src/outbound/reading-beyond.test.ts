import http, { type IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
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
