import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

let stage: Stage;
let server: Server;

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    if (request.url === '/first') response.end('here');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stage = await setSmallStage({ ASKED_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await stage.stop();
});

it.each(['fetch', 'http', 'undici'])(
  'a request whose body is open when the process ends was begun in a replay, too: %s',
  async (way) => {
    const { run } = await recordRun(stage, 'open-upload.ts', { WAY: way });
    const { report } = await replayAsJson(stage, run.rootSpanId, 'open-upload.ts', { environment: { WAY: way } });
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], exitCode: 0 });
    expect(report.counts).toMatchObject({ unconsumed: 0 });
  },
);
