import { readFileSync } from 'node:fs';
import { ATTR_SESSION_ID, ATTR_USER_ID } from '@reenact/semconv/core';
import * as keys from '@reenact/semconv/gen-ai';
import {
  type Crossing,
  crossingFacts,
  inputPreview,
  outcomePreview,
  payloadTree,
  type Recording,
} from '@reenact/trace-model';
import { readFixture } from '@reenact/trace-model/reading';
import { describe, expect, it } from 'vitest';
import { assembleRecording } from './assemble-recording.ts';

const answer = 'Your order 4711 is out for delivery with Möwe Express.';
const question = 'user: Where is my order 4711?';

/** What a real instrumentation sent for one agent: a tool call, a streamed answer, and mostly an embedding and a call that failed. */
function recorded(name: string): Recording {
  return assembleRecording(readFixture(readFileSync(new URL(name, import.meta.url), 'utf8')));
}

function causesOf({ replayability }: Recording): string[] {
  return [...new Set(replayability.missing.map(({ cause }) => cause))];
}

function pathsOf({ crossings }: Recording): string[] {
  return crossings.map(({ path }) => path);
}

function modelCalls({ crossings }: Recording): Crossing[] {
  return crossings.filter(({ kind }) => kind === 'model');
}

function outputOf({ outcome }: Crossing): unknown {
  return outcome.type === 'returned' && outcome.value !== undefined ? payloadTree(outcome.value) : undefined;
}

const orderTool = {
  type: 'function',
  name: 'find_order',
  description: 'Finds an order by its number.',
  parameters: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
};

const everyOne = [
  ['openinference/testdata/openai-node.jsonl', 'openinference'],
  ['openinference/testdata/openai-python.jsonl', 'openinference'],
  ['openinference/testdata/langchain-python.jsonl', 'openinference'],
  ['openinference/testdata/langchain-node.jsonl', 'openinference'],
  ['openllmetry/testdata/traceloop-python-2025.jsonl', 'openllmetry'],
  ['openllmetry/testdata/traceloop-node.jsonl', 'openllmetry'],
  ['openllmetry/testdata/traceloop-python.jsonl', 'openllmetry'],
  ['pydantic-ai/testdata/pydantic-ai-python.jsonl', 'pydantic-ai'],
  ['ai-sdk/testdata/ai-4.jsonl', 'ai-sdk'],
  ['ai-sdk/testdata/ai-6.jsonl', 'ai-sdk'],
  ['ai-sdk/testdata/ai-7.jsonl', 'ai-sdk'],
] as const;

describe('what real instrumentations of other vocabularies sent', () => {
  it.each(everyOne)('%s is read as %s, and its model calls are rebuilt', (name, dialect) => {
    const [asked, streamed] = modelCalls(recorded(name));
    if (asked === undefined || streamed === undefined) throw new TypeError('there are model calls');
    expect([asked.dialect, asked.name, asked.reconstructed, streamed.reconstructed]).toEqual([
      dialect,
      'openai.chat',
      true,
      true,
    ]);
    expect([inputPreview(asked), crossingFacts(asked)]).toEqual([question, ['gpt-4o-mini', '120→18 tokens']]);
    expect([outcomePreview(streamed), crossingFacts(streamed)[0]]).toEqual([answer, 'gpt-4o-mini']);
    expect(payloadTree(asked.input ?? { format: 'json', digest: '' })).toMatchObject({
      model: 'gpt-4o-mini',
      temperature: 0.2,
      messages: [
        { role: 'system', parts: [{ type: 'text', content: 'You help customers of a shop.' }] },
        { role: 'user', parts: [{ type: 'text', content: 'Where is my order 4711?' }] },
      ],
    });
    expect(outputOf(asked)).toMatchObject({
      messages: [{ parts: [{ type: 'tool_call', id: 'call_order', name: 'find_order' }], finish_reason: 'tool_call' }],
      model: 'gpt-4o-mini',
      inputTokens: 120,
      outputTokens: 18,
    });
    expect(JSON.stringify(asked.input)).toContain(orderTool.description);
    expect(inputPreview(streamed)).toContain('Möwe Express');
  });
});

describe('what instrumentations of other vocabularies sent of the rest of a run', () => {
  it.each(everyOne.filter(([name]) => /openai-python|traceloop-python|ai-\d/.test(name)))(
    '%s tells of an embedding and of a call that failed',
    (name) => {
      const recording = recorded(name);
      const embedding = recording.crossings.filter(({ kind }) => kind === 'embedding');
      expect(
        embedding.map(({ name: boundary, attributes }) => [boundary, attributes.get(keys.ATTR_GEN_AI_REQUEST_MODEL)]),
      ).toEqual([['openai.embeddings', 'text-embedding-3-small']]);
      expect(embedding.map((crossing) => inputPreview(crossing))).toEqual(['user: order 4711']);
      const failed = modelCalls(recording).at(-1);
      expect([failed?.outcome.type, failed && inputPreview(failed)]).toEqual(['threw', 'user: Please fail.']);
      // OpenLLMetry told of no exception then.
      const error = name.includes('2025') ? '✗ an error' : /^✗ .*(?:RateLimitError|AI_APICallError)$/;
      expect(failed && outcomePreview(failed)).toMatch(error);
      expect(recording.replayability.verdict).toBe('cold');
      expect(causesOf(recording)).toEqual(['reconstructed', 'no-outcome']);
    },
  );

  it.each(['ai-4', 'ai-6', 'ai-7'])(
    '%s: what the application called stands around its model calls, and its tool tells what it did',
    (name) => {
      const recording = recorded(`ai-sdk/testdata/${name}.jsonl`);
      const [run] = recording.crossings;
      expect(pathsOf(recording).slice(0, 2)).toEqual(['agent:support', 'agent:support/model:openai.chat']);
      expect(run?.attributes.has(keys.ATTR_GEN_AI_USAGE_INPUT_TOKENS)).toBe(false);
      const tool = recording.crossings.find(({ kind }) => kind === 'tool');
      expect([tool?.toolCallId, tool && inputPreview(tool), tool && outcomePreview(tool)]).toEqual([
        'call_order',
        '{"number":"4711"}',
        '{"number":"4711","carrier":"Möwe Express"}',
      ]);
      expect(JSON.stringify(recording.crossings[1]?.input)).toContain('find_order');
    },
  );

  it('counts a call once that LangChain and the client below it told of side by side', () => {
    const recording = recorded('openinference/testdata/langchain-python.jsonl');
    expect(pathsOf(recording)).toEqual(['model:openai.chat', 'tool:find_order', 'model:openai.chat#2']);
    expect(recording.spans.size).toBe(7);
    const told = modelCalls(recording).map(({ spanId }) => recording.spans.get(spanId)?.name);
    expect(told).toEqual(['ChatCompletion', 'ChatCompletion']);
    expect(recording.replayability).toMatchObject({ verdict: 'partial' });
    expect(causesOf(recording)).toEqual(['reconstructed']);
    const tool = recording.crossings[1];
    expect([tool?.toolCallId, tool && inputPreview(tool)]).toEqual(['call_order', '4711']);
  });
});

function toolOf({ crossings }: Recording): readonly (string | undefined)[] {
  const tool = crossings.find(({ kind }) => kind === 'tool');
  return [tool?.name, tool?.toolCallId, tool && inputPreview(tool), tool && outcomePreview(tool)];
}

describe('what an instrumentation leaves out', () => {
  it('LangChain.js under OpenInference: instructions and ids of calls are read of what LangChain wrote', () => {
    const recording = recorded('openinference/testdata/langchain-node.jsonl');
    const [asked, answered] = modelCalls(recording);
    expect(JSON.stringify(asked && outputOf(asked))).toContain('call_order');
    expect(payloadTree(answered?.input ?? { format: 'json', digest: '' })).toMatchObject({
      messages: [{}, {}, { parts: [{ id: 'call_order' }] }, { role: 'tool', parts: [{ id: 'call_order' }] }],
    });
    expect(toolOf(recording)).toEqual([
      'find_order',
      'call_order',
      '4711',
      '{"number":"4711","carrier":"Möwe Express"}',
    ]);
    expect(causesOf(recording)).toEqual(['reconstructed']);
  });

  it('LangChain.js under OpenLLMetry: an answer without the tool call that it ended with is never served', () => {
    const recording = recorded('openllmetry/testdata/traceloop-langchain-node.jsonl');
    expect(pathsOf(recording)).toEqual(['model:openai.chat', 'tool:find_order', 'model:openai.chat#2']);
    const [asked] = modelCalls(recording);
    expect([asked?.dialect, asked?.reconstructed, asked && inputPreview(asked)]).toEqual([
      'openllmetry',
      undefined,
      question,
    ]);
    expect(recording.replayability.missing[0]).toMatchObject({
      cause: 'no-outcome',
      detail: expect.stringContaining('it ended with the call of a tool, and which is not said'),
    });
    const answered = '{"number":"4711","carrier":"Möwe Express"}';
    expect(toolOf(recording)).toEqual(['find_order', 'call_order', '{"number":"4711"}', answered]);
  });

  it('Mastra: the provider, who asked, and that no call of a model says what it was asked', () => {
    const recording = recorded('mastra/testdata/mastra-node.jsonl');
    const [run, asked] = recording.crossings;
    expect([run, asked].map((crossing) => [crossing?.dialect, crossing?.path])).toEqual([
      ['mastra', 'agent:support'],
      ['mastra', 'agent:support/model:openai.chat'],
    ]);
    expect([run && inputPreview(run), run && outcomePreview(run)]).toEqual([question, answer]);
    expect(asked && crossingFacts(asked)).toEqual(['gpt-4o-mini', '120→18 tokens']);
    const who = [ATTR_SESSION_ID, ATTR_USER_ID, keys.ATTR_GEN_AI_CONVERSATION_ID];
    expect(who.map((key) => asked?.attributes.get(key))).toEqual(['session-9', 'user-7', 'thread-9']);
    expect(recording.replayability.verdict).toBe('cold');
    // Its tool's input is there, and nobody needs it.
    const needed = recording.replayability.missing.map(({ cause, where }) => [cause, where]);
    expect(needed).toEqual([
      ['no-crossings', undefined],
      ['no-input', 'agent:support/model:openai.chat'],
      ['no-outcome', 'agent:support/model:openai.chat'],
      ['no-input', 'agent:support/model:openai.chat#2'],
    ]);
  });
});

describe('what Langfuse and Pydantic AI sent', () => {
  it('Langfuse: agent, model calls and tool, and a failure that its spans have in no status', () => {
    const recording = recorded('langfuse/testdata/langfuse-node.jsonl');
    const run = 'agent:support';
    const calls = [1, 2, 3].map((count) => `${run}/model:unknown.chat${count === 1 ? '' : `#${count}`}`);
    expect(pathsOf(recording)).toEqual([run, calls[0], `${run}/tool:find_order`, calls[1], calls[2]]);
    const [asked, streamed, failed] = modelCalls(recording);
    expect(asked?.dialect).toBe('langfuse');
    expect(asked && [inputPreview(asked), crossingFacts(asked)]).toEqual([question, ['gpt-4o-mini', '120→18 tokens']]);
    expect(JSON.stringify(asked?.input)).toContain(orderTool.description);
    expect(asked && outputOf(asked)).toMatchObject({
      messages: [{ parts: [{ type: 'tool_call', id: 'call_order' }] }],
    });
    expect([streamed?.reconstructed, streamed && outcomePreview(streamed)]).toEqual([true, answer]);
    expect([failed?.outcome.type, failed && outcomePreview(failed)]).toEqual(['threw', '✗ Error']);
    expect(asked?.attributes.get(ATTR_USER_ID)).toBe('user-7');
  });

  it('Langfuse beside LangChain.js: the provider, the thread, and which call a tool answered', () => {
    const recording = recorded('langfuse/testdata/langfuse-langchain-node.jsonl');
    expect(pathsOf(recording)).toEqual(['model:openai.chat', 'tool:find_order', 'model:openai.chat#2']);
    const found = '{"number":"4711","carrier":"Möwe Express"}';
    expect(toolOf(recording)).toEqual(['find_order', 'call_order', '{"number":"4711"}', found]);
    const [, answered] = modelCalls(recording);
    expect(payloadTree(answered?.input ?? { format: 'json', digest: '' })).toMatchObject({
      messages: [
        {},
        {},
        { parts: [{ type: 'text' }, { id: 'call_order' }] },
        { role: 'tool', parts: [{ id: 'call_order' }] },
      ],
    });
    expect(answered?.attributes.get(keys.ATTR_GEN_AI_CONVERSATION_ID)).toBe('thread-9');
  });

  it('Pydantic AI: what a run was asked and came to, and which error ended a call', () => {
    const recording = recorded('pydantic-ai/testdata/pydantic-ai-python.jsonl');
    const [run] = recording.crossings;
    expect([run && inputPreview(run), run && outcomePreview(run)]).toEqual([question, answer]);
    expect(run?.attributes.get(keys.ATTR_GEN_AI_CONVERSATION_ID)).toBe('thread-9');
    const failed = modelCalls(recording).at(-1);
    expect(failed && outcomePreview(failed)).toBe('✗ pydantic_ai.exceptions.ModelRateLimitError');
    const advice = recording.replayability.missing.find(({ cause }) => cause === 'no-input')?.detail;
    expect(advice).toContain('of a call that failed, Pydantic AI does not say what was asked');
  });
});
