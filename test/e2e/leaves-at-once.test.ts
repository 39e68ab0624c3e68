import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

const script = 'leaves-at-once.ts';
/** Two processes each: recorded, and replayed. */
const processesMs = 240_000;
let stage: Stage;
let rootSpanId: string;

beforeAll(async () => {
  stage = await setSmallStage();
  const { run, recorded } = await recordRun(stage, script, { NODE_OPTIONS: '--import=reenact/register' });
  expect(recorded).toMatchObject({ stdout: 'end is looked up\n', stderr: '', exitCode: 0 });
  expect(run).toMatchObject({ crossingCount: 4, replayability: { verdict: 'full' } });
  rootSpanId = run.rootSpanId;
}, processesMs);

afterAll(() => stage.stop());

describe('a process of a run that ends itself by process.reallyExit', () => {
  it(
    'has ended, and is replayed to that end',
    async () => {
      const shown = await stage.reenact(['show', rootSpanId]);
      expect(shown.stdout).toContain('{"exitCode":3}');
      const { report } = await replayAsJson(stage, rootSpanId, script);
      expect(report).toMatchObject({ exitCode: 0, divergences: [], notes: [], counts: { stubbed: 2, rerun: 2 } });
    },
    processesMs,
  );

  it(
    'diverges where it calls more than was recorded',
    async () => {
      const { report } = await replayAsJson(stage, rootSpanId, script, { environment: { ADDED: '1' } });
      const where = 'agent:starting/agent:process/tool:look#2';
      expect(report.divergences).toEqual([expect.objectContaining({ kind: 'exhausted', path: where })]);
    },
    processesMs,
  );
});
