import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

const script = 'named-telemetry.ts';
const all = ['GET /info', 'PATCH /runs/7', 'POST /runs/multipart'];
const arrived: string[] = [];
let server: Server;
let place: string;
let stage: Stage;

beforeAll(async () => {
  server = createServer((request, response) => {
    arrived.push(`${request.method} ${request.url}`);
    request.resume().on('end', () => response.setHeader('content-type', 'application/json').end('{}'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  stage = await setSmallStage({ TELEMETRY_URL: `http://${place}` });
});

afterAll(async () => {
  await stage.stop();
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  arrived.length = 0;
});

describe('a host that is named as one of telemetry', () => {
  it('has no crossings, and is told nothing by a replay, which knows it from the recording', async () => {
    const { run } = await recordRun(stage, script, { REENACT_TELEMETRY_HOSTS: place });
    // The run and the tool.
    expect(run).toMatchObject({ crossingCount: 2, replayability: { verdict: 'full', missing: [] } });
    expect(arrived.splice(0).sort()).toEqual(all);
    const { report, result } = await replayAsJson(stage, run.rootSpanId, script);
    expect(arrived).toEqual([]);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
    expect(report.notes).toContain(
      `Telemetry to ${place} was held back: 3 requests. To let it out: --allow-host ${place}.`,
    );
    expect(result.stderr).toContain('{"told":["{} 200",200]}');
    await replayAsJson(stage, run.rootSpanId, script, { flags: ['--allow-host', place] });
    expect(arrived.sort()).toEqual(all);
  });

  it('is answered as it was recorded where it was named later', async () => {
    const { run } = await recordRun(stage, script);
    expect(run.crossingCount).toBe(5);
    arrived.length = 0;
    const { report } = await replayAsJson(stage, run.rootSpanId, script, {
      environment: { REENACT_TELEMETRY_HOSTS: place },
    });
    expect(arrived).toEqual([]);
    expect(report.counts).toMatchObject({ unconsumed: 0, refused: 0 });
    expect(report.notes.join()).not.toContain('was held back');
  });
});
