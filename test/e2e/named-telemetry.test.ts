import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

  it('is named by a plan where the app tells it more than when it was recorded, and by none where it was called', async () => {
    const { run } = await recordRun(stage, script, { TELEMETRY_URL: '' });
    const unnamed = await replayAsJson(stage, run.rootSpanId, script);
    expect(unnamed.report.divergences.map(({ kind }) => kind)).toContain('never-recorded');
    const told = unnamed.report.divergences.filter(({ message }) => message.includes(place)).map(({ next }) => next);
    expect(told.join()).toContain(`record again with REENACT_TELEMETRY_HOSTS=${place}`);
    const plan = join(await mkdtemp(join(tmpdir(), 'reenact-plan-')), 'plan.json');
    await writeFile(plan, JSON.stringify({ version: 1, telemetryHosts: [place] }));
    const { report, result } = await replayAsJson(stage, run.rootSpanId, script, { flags: ['--plan', plan] });
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
    expect(result.stderr).toContain('{"told":["{} 200",200]}');
    expect(report.notes.join()).toContain(`Telemetry to ${place} was held back: 3 requests.`);
    expect(arrived).toEqual([]);
    const called = await recordRun(stage, script);
    const refused = await stage.reenact(['replay', called.run.rootSpanId, '--plan', plan, '--', 'node', script]);
    expect(refused).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`names ${place} as a host of telemetry`),
    });
  });
});
