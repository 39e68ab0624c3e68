import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

let service: Server;
let address: string;
let stage: Stage;

beforeAll(async () => {
  service = createServer((socket) => socket.on('error', () => undefined).on('data', () => socket.write('forty-two')));
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  const { port } = service.address() as AddressInfo;
  address = `127.0.0.1:${port}`;
  stage = await setSmallStage({ SERVICE_PORT: String(port) });
});

afterAll(async () => {
  await stage.stop();
  service.close();
});

describe('a connection that nothing recorded', () => {
  it('is named by show and found by its cause where the agent opened it, for a replay refuses it', async () => {
    const { run, recorded } = await recordRun(stage, 'connecting.ts');
    expect(recorded.stdout).toBe('forty-two\n');
    expect((await stage.reenact(['show', run.rootSpanId])).stdout).toContain(`agent:asker ${address}`);
    const found = await stage.reenact(['runs', '--missing', 'unseen-connection', '--json']);
    expect(JSON.parse(found.stdout)).toMatchObject({
      runs: [{ rootSpanId: run.rootSpanId, replayability: { verdict: 'partial' } }],
    });
    const { report, result } = await replayAsJson(stage, run.rootSpanId, 'connecting.ts');
    expect(result.exitCode).toBe(3);
    expect(report.divergences.map(({ kind }) => kind)).toContain('forbidden');
  });

  it.each([
    ['a datagram', 'count', () => `udp ${address}`],
    ['a question to a name server', 'lookUp', () => 'dns.resolve4 reenact.invalid'],
    ['a program that is started', 'start', () => 'program uname'],
    ['a process of Node.js that takes no part', 'startNode', () => 'program node'],
  ])('is %s, too: said when it is recorded, refused in a replay', async (_, way, place) => {
    const { run } = await recordRun(stage, 'connecting.ts', { VIA: way });
    const shown = await stage.reenact(['show', run.rootSpanId, '--json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({
      replayability: { verdict: 'partial', missing: [{ cause: 'unseen-connection', detail: place() }] },
    });
    const { report, result } = await replayAsJson(stage, run.rootSpanId, 'connecting.ts', {
      environment: { VIA: way },
    });
    expect(result.exitCode).toBe(3);
    expect(report.divergences.map(({ kind }) => kind)).toContain('forbidden');
  });

  it('does not matter inside of a tool, which is served', async () => {
    const { run } = await recordRun(stage, 'connecting.ts', { VIA: 'tool' });
    const { report, result } = await replayAsJson(stage, run.rootSpanId, 'connecting.ts', {
      environment: { VIA: 'tool' },
    });
    expect([result.exitCode, report.verdict]).toEqual([0, 'reproduced']);
    const shown = await stage.reenact(['show', run.rootSpanId, '--json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({ replayability: { verdict: 'full' } });
  });
});
