import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, setSmallStage } from './small-stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await setSmallStage();
});

afterAll(async () => {
  await stage.stop();
});

// It is stopped ten seconds after the run.
const caseMs = 60_000;

it(
  'ends what waits for changed files to start the program anew, once the replayed run is over',
  async () => {
    const { run } = await recordRun(stage, 'dice.ts');
    const result = await stage.reenact(['replay', run.rootSpanId, '--json', '--', 'node', '--watch', 'dice.ts']);
    expect(result.exitCode).toBe(0);
    const { verdict, notes } = JSON.parse(result.stdout) as { verdict: string; notes: string[] };
    expect([verdict, notes.join()]).toEqual(['reproduced', expect.stringContaining('"node --watch dice.ts" went on')]);
  },
  caseMs,
);
