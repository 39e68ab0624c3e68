import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { saying, textBlock, thinkingBlock } from '../serve/anthropic-agent.ts';
import { type ScriptedProvider, startScriptedProvider } from '../serve/scripted-provider.ts';
import { recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

const script = 'anthropic-calls.ts';
const nowhere = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:1', ANTHROPIC_API_KEY: 'none' };

let provider: ScriptedProvider;
let stage: Stage;
let spanId: string;
let recordedOutput: string;

beforeAll(async () => {
  provider = await startScriptedProvider(saying([thinkingBlock, textBlock('I sell 1,000 shares.')]));
  stage = await setSmallStage({
    ANTHROPIC_BASE_URL: provider.baseUrl.replace(/\/v1$/, ''),
    ANTHROPIC_API_KEY: 'local',
  });
  const { run, recorded } = await recordRun(stage, script);
  spanId = run.rootSpanId;
  recordedOutput = recorded.stdout;
});

afterAll(async () => {
  await stage.stop();
  await provider.stop();
});

describe('an agent of Anthropic that knows nothing of Reenact', () => {
  it('gets its recorded answers from the base URL in its environment', async () => {
    const served = await stage.reenact(['serve', spanId, '--json', '--', 'node', script], nowhere);
    expect(served.stderr).toContain(recordedOutput);
    expect(JSON.parse(served.stdout)).toMatchObject({
      verdict: 'reproduced',
      scope: 'model-calls',
      counts: { recorded: 2, stubbed: 2, compared: 2 },
      divergences: [],
    });
    expect(served.exitCode).toBe(0);
    expect(provider.requestCount()).toBe(2);
  });
});

describe('calls of Anthropic with nothing around them', () => {
  it('are one run, though the SDK traces itself, and are replayed by the span id that is listed', async () => {
    const before = provider.requestCount();
    const { run, recorded } = await recordRun(stage, 'bare-claude-calls.ts');
    expect(run).toMatchObject({ name: 'agent:process', crossingCount: 4, replayability: { verdict: 'full' } });
    const { report, result } = await replayAsJson(stage, run.rootSpanId, 'bare-claude-calls.ts', {
      environment: nowhere,
    });
    expect(result.stderr).toContain(recorded.stdout);
    expect(report).toMatchObject({ verdict: 'reproduced', counts: { recorded: 4, stubbed: 3 }, divergences: [] });
    expect(provider.requestCount()).toBe(before + 3);
  });
});

describe('a plan for an agent of Anthropic', () => {
  it('edits what the model says, whole and streamed', async () => {
    const before = provider.requestCount();
    const flags = [
      '--edit',
      'model:anthropic.messages#1:text="No."',
      '--edit',
      'model:anthropic.messages#2:text="Not."',
    ];
    const { report, result } = await replayAsJson(stage, spanId, script, { flags, environment: nowhere });
    expect(result.stderr).toContain(
      JSON.stringify([[thinkingBlock, textBlock('No.')], [thinkingBlock, textBlock('Not.')], 'req_8']),
    );
    expect(report.edits.map(({ policy }) => policy)).toEqual(['edit', 'edit']);
    expect(report.divergences).toMatchObject([{ kind: 'outcome-changed', path: 'agent:main' }]);
    expect(provider.requestCount()).toBe(before);
  });
});
