import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { listRuns, replayAsJson, setSmallStage } from './small-stage.ts';

const script = 'leaving-child.ts';
/** Three processes each: recorded, and replayed. */
const processesMs = 240_000;
let stage: Stage;
let rootSpanId: string;

beforeAll(async () => {
  stage = await setSmallStage();
  await stage.node([script], { NODE_OPTIONS: '--import=reenact/register' });
  // The process that was left goes on, and is delivered when it ends.
  const recorded = async (): Promise<string> => {
    const runs = await listRuns(stage);
    const said = runs.map(({ name, crossingCount, replayability }) => [name, crossingCount, replayability.verdict]);
    expect(said).toEqual([['agent:leaving', 5, 'full']]);
    return runs[0]?.rootSpanId ?? '';
  };
  rootSpanId = await vi.waitFor(recorded, { timeout: 120_000, interval: 200 });
}, processesMs);

afterAll(() => stage.stop());

describe('a process that a run has started and does not wait for', () => {
  it(
    'is waited for by the replay, which answers what it asks after the end of its program',
    async () => {
      const { report } = await replayAsJson(stage, rootSpanId, script, { environment: { TOOL_MUST_NOT_RUN: '1' } });
      expect(report).toMatchObject({ exitCode: 0, divergences: [], notes: [], counts: { stubbed: 3, rerun: 2 } });
    },
    processesMs,
  );

  it(
    'is compared like the rest of the run',
    async () => {
      const { report } = await replayAsJson(stage, rootSpanId, script, { environment: { ADDED: 'otherwise' } });
      const where = 'agent:leaving/agent:process/tool:look#2';
      expect(report.divergences).toEqual([expect.objectContaining({ kind: 'input-changed', path: where })]);
    },
    processesMs,
  );
});
