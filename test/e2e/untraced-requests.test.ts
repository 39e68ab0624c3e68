import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

let server: Server;
let stage: Stage;
const asked: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    request.resume().on('end', () => response.end(`answer ${asked.length}`));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stage = await setSmallStage({ SERVER_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});

afterAll(async () => {
  await stage.stop();
  server.closeAllConnections();
  server.close();
});

const TELEMETRY = ['POST /spans-of-mine', 'POST /v1/traces'];
const ofRun = (all: readonly string[]): string[] => all.filter((request) => !TELEMETRY.includes(request));

describe('a request that is kept out of traces', () => {
  it('is recorded like every other, and never made in a replay; nor is what exporters send, who go on', async () => {
    const { run, recorded } = await recordRun(stage, 'untraced-requests.ts');
    expect(run.replayability).toEqual({ verdict: 'full', missing: [] });
    // The run, both requests and the tool; nothing of what is exported.
    expect(run.crossingCount).toBe(4);
    expect(ofRun(asked)).toEqual(['POST /tasks', 'GET /state']);
    expect(asked).toEqual(expect.arrayContaining(TELEMETRY));

    asked.length = 0;
    const { report, result } = await replayAsJson(stage, run.rootSpanId, 'untraced-requests.ts');
    expect(asked).toEqual([]);
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], counts: { stubbed: 3, rerun: 1 } });
    expect(result.exitCode).toBe(0);
    expect(result.stderr).toContain(recorded.stdout.trim());
    expect(report.notes.join()).toContain('was held back: 2 requests');
  });
});
