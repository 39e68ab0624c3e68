import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

let server: WebSocketServer;
let connections = 0;
let stage: Stage;
let environment: { SOCKET_URL: string };

beforeAll(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    socket.on('message', () => {
      for (const text of ['one', 'two']) socket.send(JSON.stringify({ text, isLast: text === 'two' }));
    });
  });
  await once(server, 'listening');
  environment = { SOCKET_URL: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/` };
  stage = await setSmallStage();
});

afterAll(async () => {
  await stage.stop();
  for (const socket of server.clients) socket.terminate();
  server.close();
});

describe.each(['web-socket.ts', 'platform-web-socket.ts'])('a program that asks over a WebSocket: %s', (script) => {
  it('is replayed by its command without a connection, and a changed prompt is told by its path', async () => {
    const { run, recorded } = await recordRun(stage, script, environment);
    expect(recorded.stdout).toContain('closed by 1000 done');
    expect(run.replayability).toEqual({ verdict: 'full', missing: [] });
    const before = connections;
    const same = await replayAsJson(stage, run.rootSpanId, script, { environment });
    expect(same.report).toMatchObject({ verdict: 'reproduced', divergences: [] });
    expect([same.result.exitCode, same.result.stderr]).toEqual([0, expect.stringContaining('closed by 1000 done')]);
    const changed = await replayAsJson(stage, run.rootSpanId, script, {
      environment: { ...environment, PROMPT: 'Something else?' },
    });
    expect(changed.result.exitCode).toBe(1);
    expect(changed.report.divergences[0]?.message).toContain('$.body.json.prompt');
    expect(connections).toBe(before);
  });
});
