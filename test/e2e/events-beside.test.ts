import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

const ROUNDS = Number(process.env.RUNS ?? 3);

let server: Server;
let stage: Stage;
let sent = 0;
let environment: { EVENTS_URL: string };

beforeAll(async () => {
  server = createServer((request, response) => {
    sent += 1;
    request.resume().on('end', () => response.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  environment = { EVENTS_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/batch/` };
  stage = await setSmallStage();
});

afterAll(async () => {
  await stage.stop();
  server.closeAllConnections();
  server.close();
});

describe('an agent beside which events are compressed and sent', () => {
  it('draws in a replay what it drew, wherever the work of the thread pool ends', { timeout: 300_000 }, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { run, recorded } = await recordRun(stage, 'events-beside.ts', environment);
      expect(run.replayability).toEqual({ verdict: 'full', missing: [] });
      const before = sent;
      const { report, result } = await replayAsJson(stage, run.rootSpanId, 'events-beside.ts', { environment });
      expect(report).toMatchObject({ verdict: 'reproduced', divergences: [] });
      expect(result.exitCode).toBe(0);
      expect(result.stderr).toContain(recorded.stdout.trim());
      expect(sent).toBe(before);
    }
  });
});
