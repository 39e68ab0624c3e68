import { readFileSync } from 'node:fs';
import { readFixture } from '@reenact/trace-model/reading';
import { describe, expect, it } from 'vitest';
import type { SummarisedRun } from '../store/store.ts';
import { assembleTrace } from './assemble-trace.ts';
import { summariseRun } from './run-summary.ts';

const dialects = new URL('../../../packages/dialects/src/', import.meta.url);

/** What the collector makes of spans that a real instrumentation sent. */
function summaryOf(name: string): SummarisedRun {
  const data = readFixture(readFileSync(new URL(name, dialects), 'utf8'));
  return summariseRun(assembleTrace(data), { conflictingSpans: 0, keepsText: true });
}

const chat = { model: 'gpt-4o-mini', provider: 'openai' };
const embedding = { model: 'text-embedding-3-small', provider: 'openai' };

describe('a run in another vocabulary', () => {
  it.each([
    // Each of the two calls stands there twice, side by side.
    ['openinference/testdata/langchain-python.jsonl', [{ ...chat, calls: 2, inputTokens: 120, outputTokens: 18 }]],
    // The call that failed used nothing.
    [
      'openinference/testdata/openai-python.jsonl',
      [
        { ...chat, calls: 3, inputTokens: 280, outputTokens: 38 },
        { ...embedding, calls: 1, inputTokens: 0, outputTokens: 0 },
      ],
    ],
    [
      'openllmetry/testdata/traceloop-python-2025.jsonl',
      [
        { ...chat, calls: 3, inputTokens: 120, outputTokens: 18 },
        { ...embedding, calls: 1, inputTokens: 0, outputTokens: 0 },
      ],
    ],
    // What the application called sums up what the model calls inside say.
    [
      'ai-sdk/testdata/ai-6.jsonl',
      [
        { ...chat, calls: 5, inputTokens: 560, outputTokens: 76 },
        { ...embedding, calls: 1, inputTokens: 0, outputTokens: 0 },
      ],
    ],
  ])('%s counts each call of a model once', (name, usage) => {
    const { summary } = summaryOf(name);
    expect(summary.usage).toEqual(usage);
    expect([summary.inputTokens, summary.outputTokens]).toEqual([
      usage.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
      usage.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    ]);
  });

  it.each([
    [
      'openinference/testdata/langchain-python.jsonl',
      { session: ['session-9'], user: ['user-7'], tool: ['find_order'] },
    ],
    [
      'openinference/testdata/openai-python.jsonl',
      { errorType: ['openai.RateLimitError'], operation: ['chat', 'embeddings'] },
    ],
    [
      'ai-sdk/testdata/ai-6.jsonl',
      {
        session: ['session-9'],
        user: ['user-7'],
        agent: ['support'],
        tool: ['find_order'],
        provider: ['openai'],
        operation: ['chat', 'embeddings', 'execute_tool', 'invoke_agent'],
      },
    ],
    [
      'openllmetry/testdata/traceloop-python-2025.jsonl',
      { provider: ['openai'], crossing: ['embedding:openai.embeddings', 'model:openai.chat'] },
    ],
  ])('%s is found by what it is about', (name, facets) => {
    expect(summaryOf(name).facets).toMatchObject({ ...facets, model: expect.arrayContaining(['gpt-4o-mini']) });
  });
});
