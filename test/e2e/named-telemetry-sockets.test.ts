import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

const script = 'writing-telemetry.ts';
const heard: Promise<string>[] = [];
let server: Server;
let place: string;
let stage: Stage;

beforeAll(async () => {
  server = createServer((socket) => heard.push(text(socket)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  stage = await setSmallStage({ WRITES_TO: place });
});

afterAll(async () => {
  await stage.stop();
  server.close();
});

describe('a socket of its own to a host that is named as one of telemetry', () => {
  it('leaves a run full, and finds nobody there in its replay, unless it is let out', async () => {
    const { run } = await recordRun(stage, script, { REENACT_TELEMETRY_HOSTS: place });
    expect(run).toMatchObject({ crossingCount: 2, replayability: { verdict: 'full', missing: [] } });
    expect(await Promise.all(heard.splice(0))).toEqual(['asked\nlooked\n']);
    const { report } = await replayAsJson(stage, run.rootSpanId, script);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
    expect(report.notes).toContain(
      `Telemetry to ${place} was held back: 1 request. To let it out: --allow-host ${place}.`,
    );
    expect(heard).toEqual([]);
    const letOut = await replayAsJson(stage, run.rootSpanId, script, { flags: ['--allow-host', place] });
    expect(letOut.report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
    expect(await Promise.all(heard.splice(0))).toEqual(['asked\nlooked\n']);
  });
});
