import type { RunSummary } from '@reenact/trace-model/collector-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandResult } from '../scenarios/run-command.ts';
import type { Stage } from '../scenarios/stage.ts';
import { type EchoServers, startEchoServers } from './echo-servers.ts';
import { recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

let servers: EchoServers;
let stage: Stage;
let run: RunSummary;
let recorded: CommandResult;

beforeAll(async () => {
  servers = await startEchoServers();
  stage = await setSmallStage(servers.environment);
  ({ run, recorded } = await recordRun(stage, 'wires.ts'));
});

afterAll(async () => {
  await stage.stop();
  await servers.stop();
});

describe('an agent on undici, HTTP/2 and gRPC', () => {
  it('really used them', () => {
    expect(JSON.parse(recorded.stdout)).toEqual([
      [200, 'GET /flaky ', 200, 'POST /post by undici', 'over 2: /two', 'gave up'],
      ['hello', '5 nobody', '4 Deadline exceeded', ['one!', 'two!']],
    ]);
  });

  it.each([
    ['with everything stubbed', [] as string[]],
    ['with its tools live over recorded wires', ['--live', 'tool:look', '--live', 'tool:ask']],
  ])('is reproduced %s, with no connection', async (_name, flags) => {
    const before = servers.connections;
    const { report, result } = await replayAsJson(stage, run.rootSpanId, 'wires.ts', { flags });
    expect(report.divergences).toEqual([]);
    expect(result.exitCode).toBe(0);
    expect(result.stderr).toContain(recorded.stdout.trim());
    expect(servers.connections).toBe(before);
  });
});

describe('one more call, which was not recorded', () => {
  it.each([
    ['undici', 'never-recorded', 1],
    ['fetch', 'never-recorded', 1],
    ['http', 'never-recorded', 1],
    ['http2', 'never-recorded', 1],
    ['grpc', 'never-recorded', 1],
    ['http.ClientRequest', 'forbidden', 3],
    ['net.connect', 'forbidden', 3],
  ])('by %s is %s', async (extra, kind, exitCode) => {
    const before = servers.connections;
    const { report, result } = await replayAsJson(stage, run.rootSpanId, 'wires.ts', { environment: { EXTRA: extra } });
    expect(report.divergences.map((divergence) => divergence.kind)).toContain(kind);
    expect(report.divergences.some((divergence) => divergence.kind === 'forbidden')).toBe(kind === 'forbidden');
    expect(result.exitCode).toBe(exitCode);
    expect(servers.connections).toBe(before);
  });
});
