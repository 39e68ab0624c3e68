import type { RunSummary } from '@reenact/trace-model/collector-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { listRuns, replayAsJson, setSmallStage } from './small-stage.ts';

const script = 'scheduled.ts';
const hourMs = 3_600_000;
let stage: Stage;
let runs: readonly RunSummary[];

beforeAll(async () => {
  stage = await setSmallStage();
  await stage.node(['--import', 'reenact/register', script]);
  runs = (await listRuns(stage)).toSorted((left, right) => left.startedAt.localeCompare(right.startedAt));
});
afterAll(() => stage.stop());

describe('a run that a timer begins', () => {
  // As long as a test may take, hours would be for ever.
  it.each([0, 1])('is not waited for as long as the timer takes: run %i', async (index) => {
    expect(runs.length).toBe(2);
    const environment = { EVERY_MS: `${hourMs}` };
    const { report } = await replayAsJson(stage, runs[index]?.rootSpanId ?? '', script, { environment });
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
    expect(report.runsBeside?.begun ?? 0).toBe(index);
    expect(report.runsBeside?.diverged ?? 0).toBe(0);
  });
});
