import { Agent, get } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patchHttp, recordThenServe } from '../testdata/http-suite.ts';
import { ScriptedServer } from '../testdata/scripted-server.ts';

let undo: () => void;
beforeAll(() => {
  undo = patchHttp();
});
afterAll(() => undo());

/** Closes its connections when they are used a second time, as one does that has just given up waiting. */
function impatientServer(): Promise<ScriptedServer> {
  const used = new WeakSet<object>();
  return ScriptedServer.raw((socket) => {
    if (used.has(socket)) socket.destroy();
    else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ndone');
    used.add(socket);
  });
}

/** Asks again where it failed for a connection that was kept, as the documentation of Node.js says. */
function ask(url: string, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent }, (response) => resolve(text(response)));
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (request.reusedSocket && error.code === 'ECONNRESET') resolve(ask(url, agent));
      else reject(error);
    });
  });
}

describe('a request over a connection that was kept', () => {
  it('knows so in a replay, for by that it is asked again', async () => {
    const act = async (url: string): Promise<string[]> => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const answers = [await ask(url, agent), await ask(url, agent)];
      agent.destroy();
      return answers;
    };
    const { recorded, replayed, player } = await recordThenServe(await impatientServer(), act, 3);
    expect(recorded).toEqual(['done', 'done']);
    expect(replayed).toEqual(recorded);
    expect(player.refusals).toEqual([]);
  });
});
