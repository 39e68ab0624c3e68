import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runsOnceThere } from '../scenarios/runs-of.ts';
import type { Stage } from '../scenarios/stage.ts';
import { listRuns, recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

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

  it.each(['fork', 'cluster'])(
    'comes with the end of its process behind it, for which the agent listens only then: %s',
    async (way) => {
      const command = ['answer-then-end.ts', way];
      const { run, recorded } = await recordRun(stage, command, { NODE_OPTIONS: '--import=reenact/register' });
      expect(run.replayability).toEqual({ verdict: 'full', missing: [] });
      const { report, result } = await replayAsJson(stage, run.rootSpanId, command);
      expect(report).toMatchObject({ exitCode: 0, verdict: 'reproduced', divergences: [] });
      expect(result.stderr).toContain(recorded.stdout.trim());
    },
    120_000,
  );

  it.each([
    ['a pool', 'shared-pool.ts'],
    ['threads that are asked by messages with an id', 'shared-threads.ts'],
  ])(
    'comes so to each of several requests at the same time that share %s',
    async (_what, script) => {
      const before = new Set((await listRuns(stage)).map(({ rootSpanId }) => rootSpanId));
      const service = await stage.start(['--import', 'reenact/register', script]);
      const { port } = JSON.parse(service.firstLine) as { port: number };
      const paths = ['/first', '/second', '/third'];
      await Promise.all(paths.map(async (path) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()));
      await service.stop();
      const requests = await runsOnceThere(stage, (runs) => {
        const served = runs.filter(
          ({ name, rootSpanId }) => name?.startsWith('agent:GET /') === true && !before.has(rootSpanId),
        );
        return served.length < paths.length ? undefined : served;
      });
      for (const { rootSpanId, replayability } of requests) {
        expect(replayability).toEqual({ verdict: 'full', missing: [] });
        const { report } = await replayAsJson(stage, rootSpanId, script);
        expect(report).toMatchObject({ exitCode: 0, verdict: 'reproduced', divergences: [] });
        expect(report.notes.join('\n')).not.toContain('did not come');
      }
    },
    240_000,
  );
});
