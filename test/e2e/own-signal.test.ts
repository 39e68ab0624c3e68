import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

const script = 'signals-itself.ts';
/** Two processes each: recorded, and replayed. */
const processesMs = 240_000;
let stage: Stage;

beforeAll(async () => {
  stage = await setSmallStage();
});

afterAll(() => stage.stop());

it(
  'a signal that a program sends to itself comes in its replay, where nothing else keeps the process; a shell that is a program of its own starts what one that is asked for does',
  async () => {
    const { run, recorded } = await recordRun(stage, script, { NODE_OPTIONS: '--import=reenact/register' });
    expect(JSON.parse(recorded.stdout)).toEqual(['signal is taken', 'child is taken']);
    expect(run).toMatchObject({ name: 'agent:signalling-itself', replayability: { verdict: 'full' } });
    const { report, result } = await replayAsJson(stage, run.rootSpanId, script);
    expect(report).toMatchObject({ exitCode: 0, divergences: [], outcome: { equal: true } });
    expect(result.stderr).toContain(recorded.stdout.trim());
  },
  processesMs,
);
