import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

const script = 'signalling-parent.ts';
/** Four processes each: recorded, and replayed. */
const processesMs = 240_000;
let stage: Stage;

beforeAll(async () => {
  stage = await setSmallStage();
});

afterAll(() => stage.stop());

it(
  'a signal that a run sends to a process which it has started comes once in its replay, from there and no sooner',
  async () => {
    const { run, recorded } = await recordRun(stage, script, { NODE_OPTIONS: '--import=reenact/register' });
    expect(run).toMatchObject({ name: 'agent:signalling', replayability: { verdict: 'full' } });
    const ended = 'start is taken, goodbye is taken, ended with 3';
    expect(JSON.parse(recorded.stdout)).toMatchObject({
      first: 'start is taken, told 1 is taken, told 2 is taken, goodbye is taken, ended with 3',
      second: ended,
      third: ended,
    });
    const { report, result } = await replayAsJson(stage, run.rootSpanId, script);
    expect(report).toMatchObject({ exitCode: 0, divergences: [], outcome: { equal: true } });
    expect(result.stderr).toContain(recorded.stdout.trim());
  },
  processesMs,
);
