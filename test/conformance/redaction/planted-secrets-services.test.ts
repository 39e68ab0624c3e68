import * as grpc from '@grpc/grpc-js';
import { leaksIn, PLANTED_SECRETS } from '@reenact/instrumentation/testing';
import { GrpcInstrumentation } from '@reenact/instrumentation-grpc';
import { replay } from '@reenact/replay';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LeakStage } from './leak-stage.ts';
import { LeakyServices, leakyServicesAgent } from './leaky-services.ts';

const instrumentation = new GrpcInstrumentation({ inbound: false });
let stage: LeakStage;

beforeAll(async () => {
  stage = await LeakStage.start();
  instrumentation.instrumentGrpc(grpc);
});

afterAll(async () => {
  instrumentation.disable();
  await stage.stop();
});

describe.each(PLANTED_SECRETS)('$kind, through gRPC and MCP', (planted) => {
  it('leaves the process in no form, and the run replays', async () => {
    const services = await LeakyServices.start(planted.text);
    const run = leakyServicesAgent(planted.text, services);
    const recording = await stage.record(run);
    expect(stage.leaksOf(planted)).toEqual([]);
    const calls = recording.crossings.filter(({ kind }) => kind === 'rpc' || kind === 'mcp');
    expect(calls.map(({ name }) => name)).toEqual([
      'test.Notes/Get',
      'test.Notes/Fail',
      'test.Notes/List',
      'custom/initialize',
      'notes/get',
      'notes/fail',
    ]);
    expect(services.calls).toBe(5);
    const report = await replay({ recording, run });
    services.stop();
    expect(services.calls).toBe(5);
    expect(report.divergences).toEqual([]);
    expect([report.exitCode, leaksIn(JSON.stringify(report.crossings), [planted])]).toEqual([0, []]);
  });
});
