import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { listRuns, replayAsJson, setSmallStage } from './small-stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setSmallStage();
});
afterAll(() => stage.stop());

it('a replay of the last job of a worker ends, though the worker waits for the next one', async () => {
  await stage.node(['--import', 'reenact/register', 'worker.ts'], { ENDS: '1' });
  const [last, first] = await listRuns(stage);
  const { report } = await replayAsJson(stage, last?.rootSpanId ?? '', 'worker.ts');
  expect(report).toMatchObject({
    verdict: 'reproduced',
    counts: { stubbed: 1 },
    runsBeside: { place: 2, stubbed: 1 },
  });
  expect(report.notes.join()).toContain('The program did not end within 10 seconds after agent:job had ended');
  // One that is followed by another job is over there.
  const { report: before } = await replayAsJson(stage, first?.rootSpanId ?? '', 'worker.ts');
  expect(before.notes.join()).toContain('went on to another run');
}, 120_000);
