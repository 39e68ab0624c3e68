import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EchoStage, listRuns, recordRun, replayAsJson, setEchoStage } from './small-stage.ts';

let stage: EchoStage;

beforeAll(async () => {
  stage = await setEchoStage();
});

afterAll(() => stage.stop());

describe('an app with its own OpenTelemetry', () => {
  it.each([
    ['the switch of OpenTelemetry', { OTEL_SDK_DISABLED: 'True' }],
    ['our own', { REENACT_DISABLED: '1' }],
    ['our own, written as that of OpenTelemetry', { REENACT_DISABLED: 'True' }],
  ])('records nothing where it is switched off by %s', async (_switch, environment) => {
    const asked = stage.provider.requestCount();
    const result = await stage.node(['bare-calls.ts'], environment);
    expect([result.exitCode, result.stderr]).toEqual([0, '']);
    expect(stage.provider.requestCount()).toBe(asked + 3);
    expect(await listRuns(stage)).toEqual([]);
  });
});

describe('a replay where recording is switched off, as on a machine on which nothing is to be recorded', () => {
  it.each(['1', 'true'])('answers as anywhere: REENACT_DISABLED=%s', async (REENACT_DISABLED) => {
    const { run } = await recordRun(stage, 'bare-model-calls.ts');
    const asked = stage.provider.requestCount();
    const environment = { REENACT_DISABLED };
    const { report } = await replayAsJson(stage, run.rootSpanId, 'bare-model-calls.ts', { environment });
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], counts: { stubbed: 3 } });
    expect(stage.provider.requestCount()).toBe(asked);
  });
});
