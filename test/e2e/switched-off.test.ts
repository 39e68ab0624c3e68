import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { type EchoProvider, startEchoProvider } from './provider.ts';
import { listRuns, recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

let provider: EchoProvider;
let stage: Stage;

beforeAll(async () => {
  provider = await startEchoProvider();
  stage = await setSmallStage(provider.environment);
});

afterAll(async () => {
  await stage.stop();
  await provider.stop();
});

describe('an app with its own OpenTelemetry', () => {
  it.each([
    ['the switch of OpenTelemetry', { OTEL_SDK_DISABLED: 'True' }],
    ['our own', { REENACT_DISABLED: '1' }],
    ['our own, written as that of OpenTelemetry', { REENACT_DISABLED: 'True' }],
  ])('records nothing where it is switched off by %s', async (_switch, environment) => {
    const asked = provider.requestCount();
    const result = await stage.node(['bare-calls.ts'], environment);
    expect([result.exitCode, result.stderr]).toEqual([0, '']);
    expect(provider.requestCount()).toBe(asked + 3);
    expect(await listRuns(stage)).toEqual([]);
  });
});

describe('a replay where recording is switched off, as on a machine on which nothing is to be recorded', () => {
  it.each(['1', 'true'])('answers as anywhere: REENACT_DISABLED=%s', async (REENACT_DISABLED) => {
    const { run } = await recordRun(stage, 'bare-model-calls.ts');
    const asked = provider.requestCount();
    const environment = { REENACT_DISABLED };
    const { report } = await replayAsJson(stage, run.rootSpanId, 'bare-model-calls.ts', { environment });
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], counts: { stubbed: 3 } });
    expect(provider.requestCount()).toBe(asked);
  });
});
