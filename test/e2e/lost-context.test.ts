import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await setSmallStage();
});

afterAll(async () => {
  await stage.stop();
});

describe('a call that lost its context in a replay', () => {
  it('is found under the run, does not run for real, and adds nothing to the report', async () => {
    const { run } = await recordRun(stage, 'losing-context.ts');
    const environment = { LOSE_CONTEXT: '1', TOOL_MUST_NOT_RUN: '1' };
    const { report, result } = await replayAsJson(stage, run.rootSpanId, 'losing-context.ts', { environment });
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], counts: { stubbed: 1, rerun: 1 } });
    expect(result.stderr).not.toContain('ran for real');
    expect(result.exitCode).toBe(0);
  });
});
