import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { listRuns, recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

const script = 'lock-holder.ts';
const children = 'numbered-children.ts';
/** Two processes each: recorded, replayed, forked, and the fork replayed. */
const processesMs = 240_000;
let stage: Stage;

beforeAll(async () => {
  stage = await setSmallStage();
});

afterAll(() => stage.stop());

it(
  'the number of its process is the recorded one, which reaches it still, also in a process that it starts and in a fork',
  async () => {
    const { run, recorded } = await recordRun(stage, script, { NODE_OPTIONS: '--import=reenact/register' });
    expect(run).toMatchObject({ name: 'agent:holder', replayability: { verdict: 'full' } });
    expect(JSON.parse(recorded.stdout.split('\n').find((line) => line.startsWith('{')) ?? '')).toMatchObject({
      held: expect.stringMatching(/^held by \d+$/),
      isThere: true,
    });
    const { report } = await replayAsJson(stage, run.rootSpanId, script);
    expect(report).toMatchObject({ exitCode: 0, divergences: [], outcome: { equal: true }, counts: { stubbed: 3 } });

    const forked = await replayAsJson(stage, run.rootSpanId, script, { flags: ['--fork', 'tool:compare'] });
    expect(forked.report).toMatchObject({ exitCode: 0, divergences: [] });
    const [fork] = forked.report.exported?.traceIds ?? [];
    const forkedRun = (await listRuns(stage)).find(({ traceId }) => traceId === fork);
    const again = await replayAsJson(stage, forkedRun?.rootSpanId ?? '', script);
    expect(again.report).toMatchObject({ exitCode: 0, divergences: [], outcome: { equal: true } });
  },
  processesMs,
);

it(
  'the number of each process that it starts is the recorded one, which that says, too, and a brother that made no call',
  async () => {
    const { run, recorded } = await recordRun(stage, children, { NODE_OPTIONS: '--import=reenact/register' });
    expect(run).toMatchObject({ name: 'agent:numbering', replayability: { verdict: 'full' } });
    expect(JSON.parse(recorded.stdout)).toMatchObject({ areThere: [true, true, true, true] });
    const { report, result } = await replayAsJson(stage, run.rootSpanId, children);
    expect(report).toMatchObject({ exitCode: 0, divergences: [], outcome: { equal: true }, counts: { stubbed: 6 } });
    expect(result.stderr).toContain(recorded.stdout.trim());

    const forked = await replayAsJson(stage, run.rootSpanId, children, { flags: ['--fork', 'tool:note#3'] });
    const [fork] = forked.report.exported?.traceIds ?? [];
    const forkedRun = (await listRuns(stage)).find(({ traceId }) => traceId === fork);
    const again = await replayAsJson(stage, forkedRun?.rootSpanId ?? '', children);
    expect(again.report).toMatchObject({ exitCode: 0, divergences: [], outcome: { equal: true } });
  },
  processesMs,
);
