import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import * as undici from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patchHttp, recordThenServe } from '../testdata/http-suite.ts';
import { ScriptedServer } from '../testdata/scripted-server.ts';

let undo: () => void;
beforeAll(() => {
  undo = patchHttp({}, undici);
});
afterAll(() => undo());

const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

/** Two parts in one packet, two in another one, and the end by itself. */
async function inTwoPackets(): Promise<ScriptedServer> {
  return ScriptedServer.raw(async (socket) => {
    socket.setNoDelay(true);
    for (const packet of [head + chunk('one ') + chunk('two '), chunk('three ') + chunk('four'), '0\r\n\r\n']) {
      socket.write(packet);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  });
}

async function partsOf(body: AsyncIterable<Buffer>): Promise<string[]> {
  const parts: string[] = [];
  for await (const part of body) parts.push(part.toString());
  return parts;
}

describe('what came in one read', () => {
  it('comes in one read again to whoever reads node:http by a loop', async () => {
    const { recorded, replayed } = await recordThenServe(await inTwoPackets(), async (url) => {
      const [response] = (await once(get(url), 'response')) as [IncomingMessage];
      return partsOf(response);
    });
    expect(recorded).toEqual(['one two ', 'three four']);
    expect(replayed).toEqual(recorded);
  });

  it('comes in one read again to whoever reads what undici gives by a loop', async () => {
    const { recorded, replayed } = await recordThenServe(await inTwoPackets(), async (url) => {
      const { body } = await undici.request(url);
      return partsOf(body);
    });
    expect(replayed).toEqual(recorded);
  });

  it('comes by itself where it came by itself, also in the same millisecond', async () => {
    const server = await ScriptedServer.start(async (_, response) => {
      for (const part of ['one ', 'two ', 'three']) {
        response.write(part);
        await turn();
      }
      response.end();
    });
    const { recorded, replayed } = await recordThenServe(server, async (url) => {
      const [response] = (await once(get(url), 'response')) as [IncomingMessage];
      return partsOf(response);
    });
    expect(replayed).toEqual(recorded);
  });
});
