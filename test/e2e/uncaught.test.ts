import type { RunSummary } from '@reenact/trace-model/collector-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { listRuns, recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

const script = 'crashing.ts';
const service = 'crashing-service.ts';
/** Each case starts a handful of processes. */
const processesMs = 240_000;
let stage: Stage;

beforeAll(async () => {
  stage = await setSmallStage();
}, processesMs);

afterAll(() => stage.stop());

/** What `show` says of a run. */
async function shown(spanId: string): Promise<string> {
  return (await stage.reenact(['show', spanId])).stdout;
}

describe('a run whose process ended by an error that nothing caught', () => {
  it.each([
    ['throws', 1, 'TypeError: no row 3', 'uncaught exception'],
    ['rejects', 1, 'RangeError: no row 3', 'unhandled rejection'],
    ['handled', 4, 'RangeError: no row 3', 'unhandled rejection'],
  ])(
    'is listed as failed, says with what, and a replay ends so, too: %s',
    async (how, exitCode, error, words) => {
      const { run, recorded } = await recordRun(stage, [script, how]);
      expect(recorded.exitCode).toBe(exitCode);
      expect(run).toMatchObject({ status: 'error', replayability: { verdict: 'full' } });
      expect(await shown(run.rootSpanId)).toMatch(new RegExp(`${words}.*out ✗ ${error}`, 's'));
      const { report } = await replayAsJson(stage, run.rootSpanId, [script, how]);
      expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], agentExit: `exit code ${exitCode}` });
    },
    processesMs,
  );

  it(
    'ends differently in a replay of code that does not throw any more',
    async () => {
      const { run } = await recordRun(stage, [script, 'throws']);
      const { report } = await replayAsJson(stage, run.rootSpanId, [script, 'throws'], { environment: { FIXED: '1' } });
      expect(report).toMatchObject({ exitCode: 1, divergences: [{ kind: 'outcome-changed', path: 'agent:crashing' }] });
    },
    processesMs,
  );

  it(
    'is one of the process where it has no agent, with its exit code as before',
    async () => {
      const { run } = await recordRun(stage, [script, 'throws', 'bare']);
      expect(run).toMatchObject({ name: 'agent:process', status: 'error' });
      const said = await shown(run.rootSpanId);
      for (const part of ['TypeError: no row 3', 'uncaught exception', '{"exitCode":1}']) expect(said).toContain(part);
      const { report } = await replayAsJson(stage, run.rootSpanId, [script, 'throws', 'bare']);
      expect(report).toMatchObject({ verdict: 'reproduced', divergences: [] });
    },
    processesMs,
  );

  it(
    'has failed by its exit code where it tells its error itself',
    async () => {
      const { run } = await recordRun(stage, [script, 'exits', 'bare']);
      expect(run).toMatchObject({ name: 'agent:process', status: 'error' });
      expect(await shown(run.rootSpanId)).toMatch(/with +exit code 3/);
    },
    processesMs,
  );

  it(
    'is pending where its code ended the process, and says by which exit code',
    async () => {
      const { run } = await recordRun(stage, [script, 'exits']);
      expect(run.status).not.toBe('error');
      expect(await shown(run.rootSpanId)).toContain('had not ended when its process exited with code 3');
    },
    processesMs,
  );
});

/** Sends both requests to the service, which does not live through the second one, and gives the runs by their paths. */
async function crashed(second: string): Promise<ReadonlyMap<string, RunSummary>> {
  const known = new Set((await listRuns(stage)).map(({ traceId }) => traceId));
  const running = await stage.start(['--import', 'reenact/register', service], { CRASHES: '1' });
  const { port } = JSON.parse(running.firstLine) as { port: number };
  const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
  await Promise.all([ask('/beside'), ask(second)]);
  await running.ended;
  await stage.reenact(['spool', 'deliver']);
  const added = (await listRuns(stage)).filter(({ traceId }) => !known.has(traceId));
  return new Map(added.map((run) => [run.name ?? '', run]));
}

describe('requests whose process ended in the middle of them', () => {
  it(
    'have failed where the error was theirs, and are pending beside; neither replay differs',
    async () => {
      const runs = await crashed('/throws');
      const failed = runs.get('agent:GET /throws');
      const beside = runs.get('agent:GET /beside');
      expect([failed?.status, beside?.isPending]).toEqual(['error', true]);
      for (const run of [failed, beside]) {
        const environment = { CRASHES: '1' };
        const { report } = await replayAsJson(stage, run?.rootSpanId ?? '', service, { environment });
        expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], exitCode: 0 });
      }
    },
    processesMs,
  );

  it(
    'have failed where what one left behind its answer did it',
    async () => {
      const runs = await crashed('/later');
      const answered = runs.get('agent:GET /later');
      expect(answered).toMatchObject({ status: 'error', replayability: { verdict: 'full' } });
      expect(await shown(answered?.rootSpanId ?? '')).toMatch(/with +RangeError: not saved.*uncaught exception/s);
      const environment = { CRASHES: '1' };
      const { report } = await replayAsJson(stage, answered?.rootSpanId ?? '', service, { environment });
      expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], exitCode: 0 });
    },
    processesMs,
  );

  it(
    'are reproduced up to there where it was killed: a call behind that is held, not told as one too many',
    async () => {
      const runs = await crashed('/killed');
      expect([...runs.values()].map(({ isPending }) => isPending)).toEqual([true, true]);
      for (const { rootSpanId } of runs.values()) {
        const { report } = await replayAsJson(stage, rootSpanId, service);
        expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], exitCode: 0 });
        expect(report.notes.join('\n')).toContain('tool:look#2: whether it had done so is not known');
      }
    },
    processesMs,
  );
});
