import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { type DeskProvider, setDeskStage, startDeskProvider } from './ai-sdk-stage.ts';
import { listRuns, recordRun, replayAsJson } from './small-stage.ts';

let provider: DeskProvider;
let stage: Stage;

beforeAll(async () => {
  provider = await startDeskProvider();
  stage = await setDeskStage(provider);
});

afterAll(async () => {
  await stage.stop();
  await provider.stop();
});

const keys = { OPENAI_API_KEY: 'local', ANTHROPIC_API_KEY: 'local' };

describe('an app on the AI SDK, started with the register hook', () => {
  it('is recorded, and re-enacted by span id without a request, a tool or a key', async () => {
    const { run, recorded } = await recordRun(stage, 'desk.ts', keys);
    expect(recorded.stderr).toBe('');
    const requests = provider.requestCount();
    const { report, result } = await replayAsJson(stage, run.rootSpanId, 'desk.ts', {
      environment: { TOOLS_MUST_NOT_RUN: '1' },
    });
    expect(report.divergences).toEqual([]);
    expect(report).toMatchObject({ verdict: 'reproduced', counts: { stubbed: 7, rerun: 2, refused: 0 } });
    expect(result.exitCode).toBe(0);
    expect(result.stderr).toContain(recorded.stdout.trim());
    expect(provider.requestCount()).toBe(requests);
  });

  it('runs one tool for real where it is named, and says what the model would have been told', async () => {
    const { run } = await recordRun(stage, 'desk.ts', keys);
    const requests = provider.requestCount();
    const { report, result } = await replayAsJson(stage, run.rootSpanId, 'desk.ts', {
      flags: ['--live', 'tool:get_quote'],
      environment: { PRICE: '1' },
    });
    expect(result.exitCode).toBe(1);
    expect(report.divergences[0]).toMatchObject({
      kind: 'output-changed',
      path: 'agent:desk/agent:trader/tool:get_quote',
      difference: [{ path: '$.price', live: '1' }],
    });
    expect(report.divergences.slice(1).every(({ causedBy }) => causedBy !== undefined)).toBe(true);
    expect(provider.requestCount()).toBe(requests);
  });

  it('is told other words by a model, and asks another model, where a plan says so', async () => {
    const { run } = await recordRun(stage, 'desk.ts', keys);
    const requests = provider.requestCount();
    const words = await replayAsJson(stage, run.rootSpanId, 'desk.ts', {
      flags: ['--edit', 'model:openai.responses#3:text="Nothing was sold."'],
    });
    expect(words.result.stderr).toContain('"text":"Nothing was sold."');
    expect(provider.requestCount()).toBe(requests);
    const model = await replayAsJson(stage, run.rootSpanId, 'desk.ts', {
      flags: ['--edit', 'model:openai.responses#3:input.model="gpt-5"'],
      environment: keys,
    });
    expect(model.result.stderr).toContain('Sold 1,000 shares of ACME.');
    expect(provider.requestCount()).toBe(requests + 1);
    expect(provider.lastModel()).toBe('gpt-5');
  });
});

describe('an agent that returns what the AI SDK gave it, with the times that it measured', () => {
  it('is reproduced, and told apart where it returns something else', async () => {
    const { run } = await recordRun(stage, 'whole-result.ts', keys);
    const same = await replayAsJson(stage, run.rootSpanId, 'whole-result.ts');
    expect(same.report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
    const other = await replayAsJson(stage, run.rootSpanId, 'whole-result.ts', { environment: { ENDING: '!' } });
    expect(other.report.divergences).toMatchObject([{ kind: 'outcome-changed', difference: [{ path: '$.text' }] }]);
  });
});

describe('a program that goes through two agents, and then calls a model with no agent around it', () => {
  it('is replayed by each of its three runs, and quietly stopped where the next run is not needed', async () => {
    const known = new Set((await listRuns(stage)).map(({ traceId }) => traceId));
    const recorded = await stage.node(['--import', 'reenact/register', 'agents-in-turn.ts'], keys);
    expect(recorded).toMatchObject({ exitCode: 0, stderr: '' });
    const requests = provider.requestCount();
    const runs = (await listRuns(stage)).filter(({ traceId }) => !known.has(traceId));
    expect(runs.map(({ name }) => name).sort()).toEqual(['agent:process', 'agent:writer', 'agent:writer']);
    const replays = await Promise.all(runs.map((run) => replayAsJson(stage, run.rootSpanId, 'agents-in-turn.ts')));
    for (const { report } of replays) expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0 });
    const ofProcess = replays.find(({ report }) => report.runsBeside?.recorded === 2);
    expect(ofProcess?.result.stderr).toContain(recorded.stdout.trim());
    const stopped = replays.find(({ report }) => report.notes.some((note) => note.includes('it was stopped there')));
    expect(stopped?.report.agentExit).toBe('exit code 0');
    expect(stopped?.result.stderr).not.toContain('ReenactError');
    expect(provider.requestCount()).toBe(requests);
  });
});
