import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

let server: Server;
let stage: Stage;
let environment: { EVENTS_URL: string };

beforeAll(async () => {
  server = createServer((request, response) => {
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

const script = 'compressed-events.ts';

describe('a request with a compressed body', () => {
  it('is compared by what was compressed, so that a plan can leave out a part of it', async () => {
    const { run } = await recordRun(stage, script, environment);
    const later = { ...environment, SENT_AT: 'later' };
    const changed = await replayAsJson(stage, run.rootSpanId, script, { environment: later });
    expect(changed.result.exitCode).toBe(1);
    expect(changed.report.divergences[0]?.difference).toEqual([
      { path: '$.body.json.sent_at', recorded: '"first"', live: '"later"' },
    ]);
    const plan = join(stage.folder, 'plan.json');
    const rule = { selector: 'http:*', path: '$.body.json.sent_at', why: 'when it was sent' };
    writeFileSync(plan, JSON.stringify({ version: 1, ignore: [rule] }));
    const flags = ['--plan', plan];
    const ignored = await replayAsJson(stage, run.rootSpanId, script, { environment: later, flags });
    expect([ignored.result.exitCode, ignored.report.ignored]).toEqual([0, [{ ...rule, met: 1, differed: 1 }]]);
  });
});
