import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await setSmallStage();
});

afterAll(() => stage.stop());

describe('a program that logs in a worker thread and computes in another', () => {
  it('is replayed by its command: both run again, and a timer does not overtake what is computed', async () => {
    const { run, recorded } = await recordRun(stage, 'logging-thread.ts');
    expect([recorded.exitCode, recorded.stdout]).toEqual([0, 'ended with 9\n']);
    expect(recorded.stderr).toContain('"result":8,"msg":"has counted"');
    const { report, result } = await replayAsJson(stage, run.rootSpanId, 'logging-thread.ts');
    expect([result.exitCode, report.verdict, report.divergences]).toEqual([0, 'reproduced', []]);
    expect(result.stderr).toContain('"result":8,"msg":"has counted"');
    expect(report.notes.join('\n')).toContain('A worker thread was started: its code runs again');
  });
});
