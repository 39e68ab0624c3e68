import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await setSmallStage();
});

afterAll(() => stage.stop());

describe('what threads, ports and processes say beside what calls give', () => {
  it.each(['inside', 'before'])(
    'comes in the order in which it came, so that who draws then draws the same: the pool was made %s the run',
    async (when) => {
      const command = ['answers-in-order.ts', when];
      const { run, recorded } = await recordRun(stage, command, { NODE_OPTIONS: '--import=reenact/register' });
      expect([recorded.stdout, run.replayability]).toEqual(['ended with 11\n', { verdict: 'full', missing: [] }]);
      const { report } = await replayAsJson(stage, run.rootSpanId, command);
      expect(report).toMatchObject({ exitCode: 0, verdict: 'reproduced', divergences: [] });
      expect(report.notes.join('\n')).not.toContain('did not come');
    },
    240_000,
  );

  it('comes so before the first call of a script, too', async () => {
    const script = 'before-first-call.ts';
    const { run, recorded } = await recordRun(stage, script);
    expect([recorded.stdout, run.replayability]).toEqual(['ended with 5\n', { verdict: 'full', missing: [] }]);
    const { report } = await replayAsJson(stage, run.rootSpanId, script);
    expect(report).toMatchObject({ exitCode: 0, verdict: 'reproduced', divergences: [] });
    expect(report.notes.join('\n')).not.toContain('did not come');
  });
});
