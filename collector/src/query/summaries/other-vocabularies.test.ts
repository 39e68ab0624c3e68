import { readFileSync } from 'node:fs';
import { fromMap, type PlainValue, type TracesData } from '@reenact/otlp';
import { readFixture } from '@reenact/trace-model/reading';
import { describe, expect, it } from 'vitest';
import type { SummarisedRun } from '../../store/store.ts';
import { assembleTrace } from '../traces/assemble-trace.ts';
import { readSpans } from '../traces/read-span.ts';
import { crossingTexts } from './crossing-texts.ts';
import { summariseRun } from './run-summary.ts';

const dialects = new URL('../../../../packages/dialects/src/', import.meta.url);

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

/** What can be searched of one span. */
function wordsOf(attributes: Record<string, PlainValue>): string[] {
  const span = {
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    spanId: '00000000000000a1',
    name: 'call',
    startTimeUnixNano: '1000',
    endTimeUnixNano: '2000',
    attributes: fromMap(Object.entries(attributes)),
  };
  const data: TracesData = { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] };
  const crossings = assembleTrace(data).recording?.crossings ?? [];
  return crossingTexts(crossings, readSpans(data)).map(({ part, text }) => `${part}: ${text.replaceAll('\n', ' ')}`);
}

describe('what can be searched of a call that is no model call', () => {
  it.each<[string, Record<string, PlainValue>, string[]]>([
    [
      'a tool of the AI SDK',
      {
        'ai.operationId': 'ai.toolCall',
        'ai.toolCall.args': '{"number":"4711"}',
        'ai.toolCall.result': '{"carrier":"Möwe"}',
      },
      ['input: 4711', 'output: Möwe'],
    ],
    [
      'a retriever of OpenInference',
      {
        'openinference.span.kind': 'RETRIEVER',
        'input.value': 'parcels',
        'retrieval.documents.0.document.content': 'Parcels take two days.',
      },
      ['input: parcels', 'output: Parcels take two days.'],
    ],
    [
      'an agent of OpenLLMetry',
      { 'traceloop.span.kind': 'agent', 'traceloop.entity.name': 'desk', 'traceloop.entity.output': 'sold' },
      ['output: assistant text sold'],
    ],
    [
      'an embedding',
      { 'openinference.span.kind': 'EMBEDDING', 'embedding.embeddings.0.embedding.text': 'order' },
      ['input: user text order'],
    ],
  ])('is of %s what went in and came out', (_name, attributes, words) => {
    expect(wordsOf(attributes)).toEqual(words);
  });

  it('ends where it is nested too deep to be walked through', () => {
    const deep = `["order",${'['.repeat(200_000)}${']'.repeat(200_000)}]`;
    expect(
      wordsOf({ 'ai.operationId': 'ai.toolCall', 'ai.toolCall.args': deep, 'ai.toolCall.result': '"found"' }),
    ).toEqual(['input: order', 'output: "found"']);
  });
});
