import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

const script = 'quiet-children.ts';
/** Each test runs a dozen processes. */
const processesMs = 180_000;
let stage: Stage;

beforeAll(async () => {
  stage = await setSmallStage();
});
afterAll(() => stage.stop());

describe('programs of Node.js that make no call of their own, started by an agent', () => {
  it(
    'are parts of its run, and say again what they said',
    async () => {
      const { run, recorded } = await recordRun(stage, script, { NODE_OPTIONS: '--import=reenact/register' });
      // The agent, its tool, and seven processes; not that which the tool starts.
      expect(run).toMatchObject({ name: 'agent:quiet', crossingCount: 9, replayability: { verdict: 'full' } });
      const { report, result } = await replayAsJson(stage, run.rootSpanId, script);
      expect(report.divergences).toEqual([]);
      expect(report).toMatchObject({ verdict: 'reproduced', counts: { stubbed: 1, rerun: 8, compared: 9 } });
      expect(result.stderr).toContain(recorded.stdout.trim());
      // One of them is started with another word, and ends otherwise.
      const changed = await replayAsJson(stage, run.rootSpanId, script, { environment: { FAILS: 'works' } });
      const { divergences, exitCode } = changed.report;
      const [cause] = divergences.filter(({ causedBy }) => causedBy === undefined);
      expect(cause).toMatchObject({ kind: 'input-changed', path: 'agent:quiet/agent:process#7' });
      expect(exitCode).toBe(1);
    },
    processesMs,
  );
});
