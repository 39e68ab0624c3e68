import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await setSmallStage();
});

afterAll(() => stage.stop());

it('a call that was added is the one thing that differs, and those behind it are given what is theirs', async () => {
  const { run } = await recordRun(stage, 'added-call.ts');
  const { report, result } = await replayAsJson(stage, run.rootSpanId, 'added-call.ts', { environment: { MORE: '1' } });
  expect(result.stderr).toMatch(/^alpha: alpha\nmore: beta\nbeta: beta\ngamma: gamma$/m);
  expect(report).toMatchObject({
    verdict: 'diverged',
    exitCode: 1,
    outcome: { equal: true },
    counts: { recorded: 4, unrecorded: 1, stubbed: 4, refused: 0, unconsumed: 0 },
    divergences: [
      {
        kind: 'input-changed',
        path: 'agent:process/tool:look#2',
        difference: [{ path: '$[0]', recorded: '"beta"', live: '"more"' }],
        stale: ['agent:process/tool:look#2', 'agent:process/tool:look#3'],
        next: expect.stringContaining('seems to be one more than was recorded'),
      },
    ],
  });
  expect(report.divergences).toHaveLength(1);
});
