import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Stage, setStage } from '../scenarios/stage.ts';
import { recordRun, replayAsJson } from './small-stage.ts';

const agentFolder = new URL('../scenarios/frameworks/agent', import.meta.url).pathname;
const provider = new LLMock({ port: 0, strict: true, chunkSize: 6, journalMaxEntries: 0 });
let stage: Stage;

beforeAll(async () => {
  const call = { id: 'call_order', name: 'place_order', arguments: '{"symbol":"ACME","quantity":1000}' };
  provider.on({ userMessage: /Sell/, hasToolResult: false }, { toolCalls: [call] });
  provider.on({ userMessage: /Sell/, hasToolResult: true }, { content: 'Sold 1,000 shares of ACME.' });
  await provider.start();
  stage = await setStage({
    agentFolder,
    environment: () => ({
      OTEL_SERVICE_NAME: 'frameworks',
      OPENAI_BASE_URL: `${provider.url}/v1`,
      OPENAI_API_KEY: 'local',
      // LangChain draws ids of its own from random bytes, which are kept only where somebody asks for it.
      REENACT_RECORD_RANDOM_BYTES: '1',
    }),
  });
});

afterAll(async () => {
  await stage.stop();
  await provider.stop();
});

describe.each(['langgraph.ts', 'openai-agents.ts'])('an agent of another library on top of openai: %s', (script) => {
  it('is recorded by the client below it, plain and streamed, and re-enacted without a request or a tool', async () => {
    const { run, recorded } = await recordRun(stage, script);
    expect({ exitCode: recorded.exitCode, crossings: run.crossingCount }).toEqual({ exitCode: 0, crossings: 7 });
    const requests = provider.getRequests().length;
    const { report, result } = await replayAsJson(stage, run.rootSpanId, script, {
      environment: { TOOLS_MUST_NOT_RUN: '1' },
    });
    expect(report.divergences).toEqual([]);
    expect(report).toMatchObject({ verdict: 'reproduced', counts: { stubbed: 6, refused: 0 } });
    expect(result.exitCode).toBe(0);
    expect(result.stderr).toContain(recorded.stdout.trim());
    expect(provider.getRequests().length).toBe(requests);
  });
});
