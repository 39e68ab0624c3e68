import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setSmallStage();
});
afterAll(() => stage.stop());

describe('a crossing without what its boundary requires', () => {
  it('is flagged in every view, and the run replays as it was', async () => {
    const { run, recorded } = await recordRun(stage, 'scene.ts');
    expect(recorded.stdout).toContain('"shares":"1000"');
    expect(run.flaggedCount).toBe(1);
    const { stdout: runs } = await stage.reenact(['runs']);
    expect(runs).toMatch(/flagged/);
    const { stdout: shown } = await stage.reenact(['show', run.traceId]);
    expect(shown).toMatch(/! +without user\.id, which the boundary requires/);
    expect(shown).toMatch(/! +the input schema refuses: \/0\/shares Invalid input/);
    expect(shown).toMatch(/^flagged: 1 crossing lacks/m);
    const { result, report } = await replayAsJson(stage, run.rootSpanId, 'scene.ts');
    expect([result.exitCode, report.divergences]).toEqual([0, []]);
  });

  it('is counted by the doctor', async () => {
    const { stdout, exitCode } = await stage.reenact(['doctor', '--', 'node', 'scene.ts']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/1× {2}tool:place_order with an input that its schema refuses/);
    expect(stdout).toMatch(/1× {2}tool:place_order without user\.id/);
  });
});

describe('a feature flag', () => {
  it('that says the same is no difference, and one that changed is told as the environment', async () => {
    const { run } = await recordRun(stage, 'flags.ts', { FLAG: 'short' });
    const same = await replayAsJson(stage, run.rootSpanId, 'flags.ts', { environment: { FLAG: 'short' } });
    expect([same.result.exitCode, same.report.divergences]).toEqual([0, []]);
    const other = await replayAsJson(stage, run.rootSpanId, 'flags.ts', { environment: { FLAG: 'long' } });
    const changed = other.report.divergences.find(({ kind }) => kind === 'environment-changed');
    expect(changed?.message).toBe('The feature flag answer-length is "long" and was "short" when this was recorded.');
    expect(other.result.exitCode).toBe(1);
  });
});
