import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { listRuns, recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await setSmallStage();
});

afterAll(async () => {
  await stage.stop();
});

describe('a call that lost its context in a replay', () => {
  it('is found under the run, does not run for real, and adds nothing to the report', async () => {
    const { run } = await recordRun(stage, 'losing-context.ts');
    const environment = { LOSE_CONTEXT: '1', TOOL_MUST_NOT_RUN: '1' };
    const { report, result } = await replayAsJson(stage, run.rootSpanId, 'losing-context.ts', { environment });
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], counts: { stubbed: 1, rerun: 1 } });
    expect(result.stderr).not.toContain('ran for real');
    expect(result.exitCode).toBe(0);
  });
});

describe('a process whose contexts were taken away', () => {
  it('does not record what tells its collector of it, each of which would be told of in turn', async () => {
    const known = new Set((await listRuns(stage)).map(({ traceId }) => traceId));
    const { stdout, stderr } = await stage.node(['--import', 'reenact/register', 'emptied-api.ts']);
    expect(stdout).toBe('4\n4\n4\n');
    expect(stderr.match(/ReenactWarning: .*/g)).toHaveLength(1);
    expect(stderr).toContain("[REENACT_NO_CONTEXTS] ReenactWarning: OpenTelemetry's contexts do not reach");
    const added = (await listRuns(stage)).filter(({ traceId }) => !known.has(traceId));
    expect(added.map(({ name }) => name)).toContain('agent:emptied');
    for (const { traceId, name, replayability } of added) {
      const detail = expect.stringMatching(/^\/contexts\/gone /);
      if (name === 'agent:emptied') {
        const missing = [{ cause: 'lossy', detail }];
        expect(replayability).toMatchObject({ verdict: 'partial', missing });
      }
      expect((await stage.reenact(['show', traceId, '--outline'])).stdout).not.toContain('http:POST');
    }
  });
});

describe('a call outside of every run, made as well while the run was recorded', () => {
  async function recordAsker(environment: NodeJS.ProcessEnv): Promise<string> {
    const known = new Set((await listRuns(stage)).map(({ traceId }) => traceId));
    await stage.node(['--import', 'reenact/register', 'telemetry-beside.ts'], environment);
    const runs = (await listRuns(stage)).filter(({ traceId }) => !known.has(traceId));
    return runs.find(({ name }) => name === 'agent:asker')?.rootSpanId ?? '';
  }

  it('is answered as it was, also where it was the first of its process', async () => {
    for (const waits of [{}, { WAITS_FOR_IT: '1' }]) {
      const environment = { ...waits, TOOLS_MUST_NOT_RUN: '1' };
      const id = await recordAsker(waits);
      const { report, result } = await replayAsJson(stage, id, 'telemetry-beside.ts', { environment });
      expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], counts: { refused: 0 } });
      expect(result.stderr).not.toContain('ran for real');
    }
  });

  it('is refused with another input, and a note where nothing of the run differs', async () => {
    const environment = { TOKENS: '13', TOOLS_MUST_NOT_RUN: '1' };
    const { report, result } = await replayAsJson(stage, await recordAsker({}), 'telemetry-beside.ts', { environment });
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], counts: { stubbed: 2 } });
    expect(report.setUp).toMatchObject({ recorded: 0, refused: 1 });
    expect(report.notes.join()).toContain('tool:send_usage was called outside of every run while agent:asker went on');
    expect(result.stderr).not.toContain('ran for real');
  });

  it('is the cause with another input where the run waits for it', async () => {
    const waits = { WAITS_FOR_IT: '1' };
    const environment = { ...waits, TOKENS: '13', TOOLS_MUST_NOT_RUN: '1' };
    const id = await recordAsker(waits);
    const { report, result } = await replayAsJson(stage, id, 'telemetry-beside.ts', { environment });
    expect(report.verdict).toBe('diverged');
    expect(report.divergences[0]).toMatchObject({ kind: 'never-recorded', path: 'agent:process/tool:send_usage#2' });
    expect(report.divergences.slice(1)).toMatchObject([{ kind: 'outcome-changed', path: 'agent:asker' }]);
    expect(result.stderr).not.toContain('ran for real');
  });
});

describe('a call outside of every run that a timer of the program makes', () => {
  async function replayBeating(environment: NodeJS.ProcessEnv): ReturnType<typeof replayAsJson> {
    const known = new Set((await listRuns(stage)).map(({ traceId }) => traceId));
    await stage.node(['--import', 'reenact/register', 'beating-beside.ts']);
    const runs = (await listRuns(stage)).filter(({ traceId }) => !known.has(traceId));
    const id = runs.find(({ name }) => name === 'agent:asker')?.rootSpanId ?? '';
    const replay = { environment: { TOOLS_MUST_NOT_RUN: '1', ...environment } };
    const replayed = await replayAsJson(stage, id, 'beating-beside.ts', replay);
    expect(replayed.result.stderr).not.toContain('ran for real');
    return replayed;
  }

  it('is a note where the timer was set before the run, made such calls before it, and fires in it now', async () => {
    const { report } = await replayBeating({ BEAT_MS: '20' });
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], counts: { stubbed: 2 } });
    expect(report.notes.join()).toContain('tool:send_usage was called outside of every run while agent:asker went on');
  });

  it('is no cause where the run differs for another reason, and told', async () => {
    const { report } = await replayBeating({ BEAT_MS: '20', PLACE: 'three' });
    expect(report.divergences[0]).toMatchObject({ kind: 'input-changed', path: 'agent:asker/tool:look#2' });
    expect(report.divergences.map(({ path }) => path).join()).not.toContain('send_usage');
    expect(report.notes.join()).toMatch(/tool:send_usage was called outside of every run.*A timer made it/);
  });

  it.each([
    ['nothing like it had been made before', { BEAT_MS: '20', NEWS: '1' }, 'send_news'],
    ['no timer makes it, but the run', { WAKES: '1' }, 'send_usage'],
  ])('is a divergence where %s', async (_, environment, name) => {
    const { report } = await replayBeating(environment);
    expect(report.verdict).toBe('diverged');
    expect(report.divergences.map(({ path }) => path).join()).toContain(name);
  });
});
