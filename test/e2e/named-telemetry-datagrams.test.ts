import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

const script = 'counting-telemetry.ts';
let receiver: Socket;
let place: string;
let stage: Stage;
const arrived: string[] = [];

beforeAll(async () => {
  receiver = createSocket('udp4');
  receiver.on('message', (message) => arrived.push(String(message)));
  receiver.bind(0, '127.0.0.1');
  await once(receiver, 'listening');
  place = `127.0.0.1:${receiver.address().port}`;
  stage = await setSmallStage({ COUNTS_TO: place });
});

afterAll(async () => {
  await stage.stop();
  receiver.close();
});

/** What has arrived until a datagram of our own has, which is sent behind all others. */
async function arrivedByNow(): Promise<string[]> {
  receiver.send('last', receiver.address().port, '127.0.0.1');
  while (!arrived.includes('last')) await once(receiver, 'message');
  return arrived.splice(0).filter((message) => message !== 'last');
}

describe('datagrams to a host that is named as one of telemetry', () => {
  it('leave a run full, and are held back by its replay, unless they are let out', async () => {
    const { run } = await recordRun(stage, script, { REENACT_TELEMETRY_HOSTS: place });
    expect(run).toMatchObject({ crossingCount: 4, replayability: { verdict: 'full', missing: [] } });
    expect(await arrivedByNow()).toEqual(['asked:1|c', 'looked:1|c']);
    const { report } = await replayAsJson(stage, run.rootSpanId, script);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
    expect(report.notes).toContain(
      `Telemetry to ${place} was held back: 2 requests. To let it out: --allow-host ${place}.`,
    );
    expect(await arrivedByNow()).toEqual([]);
    const letOut = await replayAsJson(stage, run.rootSpanId, script, { flags: ['--allow-host', place] });
    expect(letOut.report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
    expect(await arrivedByNow()).toEqual(['asked:1|c', 'looked:1|c']);
  });
});
