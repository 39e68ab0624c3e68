import { readFileSync } from 'node:fs';
import type { ReplayReport } from '@reenact/trace-model';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import { readFixture } from '@reenact/trace-model/reading';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ORDER_ANSWER, startOrderProvider } from '../scenarios/dialects/order-provider.ts';
import { type Stage, setStage } from '../scenarios/stage.ts';

const agentFolder = new URL('../scenarios/dialects/agent', import.meta.url).pathname;
const langchain = new URL('../../packages/dialects/src/openinference/testdata/langchain-python.jsonl', import.meta.url);

let stage: Stage;

beforeAll(async () => {
  stage = await setStage({
    agentFolder,
    environment: () => ({ OTEL_SERVICE_NAME: 'support', OPENAI_API_KEY: 'local' }),
  });
});

afterAll(() => stage.stop());

async function outputOf(...parameters: string[]): Promise<string> {
  const { stdout, stderr, exitCode } = await stage.reenact(parameters);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout;
}

async function runsOf(...filters: string[]): Promise<RunSummary[]> {
  return (JSON.parse(await outputOf('runs', '--json', ...filters)) as { runs: RunSummary[] }).runs;
}

/** Runs an agent while its provider is up, and gives the run that it left. */
async function record(agent: string, dialect: string): Promise<RunSummary> {
  const known = new Set((await runsOf()).map(({ traceId }) => traceId));
  const provider = await startOrderProvider();
  const { stdout, stderr, exitCode } = await stage
    .node([agent], { DIALECT: dialect, OPENAI_BASE_URL: provider.baseUrl })
    .finally(() => provider.stop());
  expect({ stdout, stderr, exitCode }).toEqual({ stdout: `${ORDER_ANSWER}\n`, stderr: '', exitCode: 0 });
  const run = (await runsOf()).find(({ traceId }) => !known.has(traceId));
  if (run === undefined) throw new Error('nothing was recorded');
  return run;
}

/** Sends spans as an exporter does. */
async function post(file: URL): Promise<string> {
  const body = readFixture(readFileSync(file, 'utf8'));
  const response = await fetch(`${stage.collectorUrl}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return body.resourceSpans[0]?.scopeSpans[0]?.spans[0]?.traceId ?? '';
}

describe('spans of other instrumentations that a collector received', () => {
  it('OpenInference: are found by model, tool and words, and shown with what was said', async () => {
    const { traceId, rootSpanId, inputTokens, outputTokens } = await record('openai-agent.mjs', 'openinference');
    // It counts no tokens of a stream.
    expect([inputTokens, outputTokens]).toEqual([120, 18]);
    expect((await runsOf('--model', 'gpt-4o-mini')).map((run) => run.traceId)).toContain(traceId);
    expect(await outputOf('search', 'Möwe', 'Express')).toContain(rootSpanId);
    const shown = await outputOf('show', traceId);
    expect(shown).toMatch(/model:openai\.chat .*gpt-4o-mini.*120→18 tokens/);
    expect(shown).toContain(ORDER_ANSWER);
    expect(shown).toContain('embedding:openai.embeddings');
  });

  it('the AI SDK: has its tools and its agent, and counts the tokens of its model calls alone', async () => {
    const { traceId, inputTokens, outputTokens, agents } = await record('ai-sdk-agent.mjs', 'ai-sdk');
    expect([inputTokens, outputTokens, agents]).toEqual([560, 76, ['ai.generateText', 'support']]);
    expect((await runsOf('--tool', 'find_order', '--agent', 'support')).map((run) => run.traceId)).toEqual([traceId]);
    const shown = await outputOf('show', traceId);
    expect(shown).toContain('tool:find_order');
    expect(shown).toContain('{"number":"4711","carrier":"Möwe Express"}');
  });

  it('OpenInference in Python: are found by session and user, and say what a Python process can do', async () => {
    const traceId = await post(langchain);
    expect((await runsOf('--session', 'session-9', '--user', 'user-7')).map((run) => run.traceId)).toEqual([traceId]);
    const shown = await outputOf('show', traceId);
    expect(shown).toContain('tool:find_order');
    expect(shown.match(/^ *model:openai\.chat .*gpt-4o-mini/gm)).toHaveLength(2);
  });

  it('OpenLLMetry: answers the same agent again, with its provider down', async () => {
    const { traceId, replayability } = await record('openai-agent.mjs', 'openllmetry');
    expect(replayability.verdict).toBe('partial');
    const served = await stage.reenact(['serve', traceId, '--json', '--', 'node', 'openai-agent.mjs']);
    expect(served.stderr).toContain(ORDER_ANSWER);
    expect(JSON.parse(served.stdout) as ReplayReport).toMatchObject({
      verdict: 'reproduced',
      divergences: [],
      counts: { recorded: 2, stubbed: 2, compared: 2, refused: 0, unconsumed: 0 },
    });
    expect(served.exitCode).toBe(0);
  });

  it('beside Reenact: are transparent, and nothing is counted twice', async () => {
    const provider = await startOrderProvider();
    const known = new Set((await runsOf()).map(({ traceId }) => traceId));
    const { stdout } = await stage
      .node(['--import', 'reenact/register', 'openai-agent.mjs'], {
        DIALECT: 'openinference',
        OPENAI_BASE_URL: provider.baseUrl,
      })
      .finally(() => provider.stop());
    expect(stdout).toBe(`${ORDER_ANSWER}\n`);
    const run = (await runsOf()).find(({ traceId }) => !known.has(traceId));
    expect(run).toMatchObject({
      inputTokens: 280,
      outputTokens: 38,
      crossingCount: 4,
      replayability: { verdict: 'full' },
    });
  });
});
