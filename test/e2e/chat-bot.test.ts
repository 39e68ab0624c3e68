import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import type { Stage } from '../scenarios/stage.ts';
import { listRuns, setSmallStage } from './small-stage.ts';

let stage: Stage;
let server: Server;

/** The service of a chat: it says what somebody wrote, at times of its own. */
beforeAll(async () => {
  stage = await setSmallStage();
  const accepting = new WebSocketServer({ noServer: true });
  server = createServer((_, response) => response.end('a page'));
  server.on('upgrade', (request, connection, head) => {
    accepting.handleUpgrade(request, connection, head, (socket) => {
      for (const text of ['hello', 'first', 'second']) socket.send(text);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await stage.stop();
});

describe('what comes over a WebSocket that a program opened outside of every run', () => {
  it('begins runs of its own, which no command begins again: they are no part of the request that opened it', async () => {
    const environment = { CHAT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    const { stdout } = await stage.node(['--import', 'reenact/register', 'chat-bot.ts'], environment);
    expect(JSON.parse(stdout)).toEqual(['first a page posted', 'second a page posted']);
    const answers = (await listRuns(stage)).filter(({ name }) => name === 'agent:answer');
    const detail = `by what came over a connection to ${environment.CHAT_URL.slice('http://'.length)}`;
    const replayability = { verdict: 'partial', missing: [{ cause: 'entry-needed', detail }] };
    expect(answers).toMatchObject([
      { crossingCount: 3, replayability },
      { crossingCount: 3, replayability },
    ]);
    const id = answers[0]?.rootSpanId ?? '';
    const { stdout: shown } = await stage.reenact(['show', id]);
    expect(shown).toContain('replay it: ');
    expect(shown).toContain(`replay ${id} --entry '<file>#<function>'`);
  });
});
