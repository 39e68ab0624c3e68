import { readFileSync } from 'node:fs';
import { type LogsData, type Span, type TracesData, toMap } from '@reenact/otlp';
import {
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_SYSTEM_INSTRUCTIONS,
  ATTR_GEN_AI_TOOL_CALL_ARGUMENTS,
} from '@reenact/semconv/gen-ai';
import { readFixture } from '@reenact/trace-model/reading';
import { describe, expect, it } from 'vitest';
import { joinLogEvents } from './join-log-events.ts';
import { withSaidContent } from './with-said-content.ts';

function spansOf(data: TracesData): Span[] {
  return data.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

/** What all spans say under a key. */
function said(data: TracesData, key: string): string[] {
  return spansOf(data).flatMap(({ attributes }) => {
    const value = toMap(attributes).get(key);
    return typeof value === 'string' ? [value] : [];
  });
}

function fixture(name: string): TracesData {
  return readFixture(readFileSync(new URL(name, import.meta.url), 'utf8'));
}

function json(name: string): unknown {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
}

describe('withSaidContent', () => {
  it.each([
    'openinference/testdata/openai-node.jsonl',
    'openinference/testdata/openai-python.jsonl',
    'openinference/testdata/langchain-python.jsonl',
    'openllmetry/testdata/traceloop-node.jsonl',
    'openllmetry/testdata/traceloop-python.jsonl',
    'pydantic-ai/testdata/pydantic-ai-python.jsonl',
    'langfuse/testdata/langfuse-node.jsonl',
    'mastra/testdata/mastra-node.jsonl',
    'ai-sdk/testdata/ai-4.jsonl',
    'ai-sdk/testdata/ai-6.jsonl',
  ])('%s: question and answer are messages', (name) => {
    const data = withSaidContent(fixture(name));
    const asked = said(data, ATTR_GEN_AI_INPUT_MESSAGES);
    expect(asked.some((messages) => /"type": ?"text"/.test(messages) && /order 4711/.test(messages))).toBe(true);
    expect(said(data, ATTR_GEN_AI_OUTPUT_MESSAGES).join()).toContain('out for delivery');
    for (const messages of asked)
      expect((JSON.parse(messages) as { parts: unknown }[])[0]?.parts).toBeInstanceOf(Array);
    expect(withSaidContent(data)).toEqual(data);
  });

  it('gives the arguments of tools', () => {
    const data = withSaidContent(fixture('ai-sdk/testdata/ai-6.jsonl'));
    expect(said(data, ATTR_GEN_AI_TOOL_CALL_ARGUMENTS).join()).toContain('4711');
  });

  it('finds what log events say, and what earlier conventions had', () => {
    const { traces, logs } = json('otel-genai/testdata/legacy-log-events.json') as {
      traces: TracesData;
      logs: LogsData;
    };
    expect(said(withSaidContent(traces), ATTR_GEN_AI_INPUT_MESSAGES)).toEqual([]);
    const [asked = ''] = said(withSaidContent(joinLogEvents(traces, logs)), ATTR_GEN_AI_INPUT_MESSAGES);
    expect(JSON.parse(asked)).toMatchObject([
      { role: 'system' },
      { role: 'user', parts: [{ content: 'Where is my order 4711?' }] },
    ]);
  });

  it('leaves alone what we recorded and what says nothing, and takes messages of an older form once', () => {
    const legacy = [{ role: 'user', content: 'hello' }];
    const attributes = (values: Record<string, string>) =>
      Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));
    const span = (values: Record<string, string>): TracesData => ({
      resourceSpans: [{ scopeSpans: [{ spans: [{ attributes: attributes(values) } as unknown as Span] }] }],
    });
    for (const values of [{ 'reenact.schema': '1', [ATTR_GEN_AI_INPUT_MESSAGES]: 'x' }, { plain: 'x' }]) {
      expect(withSaidContent(span(values))).toEqual(span(values));
    }
    const instructions = JSON.stringify([{ type: 'text', content: 'be brief' }]);
    const old = withSaidContent(
      span({ [ATTR_GEN_AI_SYSTEM_INSTRUCTIONS]: instructions, [ATTR_GEN_AI_INPUT_MESSAGES]: JSON.stringify(legacy) }),
    );
    expect(said(old, ATTR_GEN_AI_SYSTEM_INSTRUCTIONS)).toEqual([]);
    expect(said(old, ATTR_GEN_AI_INPUT_MESSAGES).map((text) => JSON.parse(text) as unknown)).toEqual([
      [
        { role: 'system', parts: [{ type: 'text', content: 'be brief' }] },
        { role: 'user', parts: [{ type: 'text', content: 'hello' }] },
      ],
    ]);
  });
});

describe('withSaidContent, of what tools answered,', () => {
  it("says of a tool's answer in the words of the AI SDK whether it is an error", () => {
    const content = ['error-text', 'error-json', 'text'].map((type) => ({
      type: 'tool-result',
      toolCallId: 'c',
      output: { type, value: 'no such order' },
    }));
    const values = {
      'ai.operationId': 'ai.generateText.doGenerate',
      'ai.prompt.messages': JSON.stringify([{ role: 'tool', content }]),
    };
    const attributes = Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));
    const name = 'ai.generateText.doGenerate';
    const data = { resourceSpans: [{ scopeSpans: [{ spans: [{ name, attributes } as unknown as Span] }] }] };
    const [asked = '[]'] = said(withSaidContent(data), ATTR_GEN_AI_INPUT_MESSAGES);
    const messages = JSON.parse(asked) as { parts: { response: string; is_error?: boolean }[] }[];
    const parts = messages.flatMap((message) => message.parts);
    expect(parts.map(({ response }) => response)).toEqual(Array(3).fill('no such order'));
    expect(parts.map((part) => part.is_error)).toEqual([true, true, undefined]);
  });
});

describe('withSaidContent, of what is in no form that is known,', () => {
  it('leaves messages as they are, and the instructions beside them', () => {
    const instructions = JSON.stringify([{ type: 'text', content: 'be brief' }]);
    for (const text of ['hello', '["hello"]', '[[["hello"]]]', '[{"role":"user","parts":"hello"}]']) {
      const values = { [ATTR_GEN_AI_SYSTEM_INSTRUCTIONS]: instructions, [ATTR_GEN_AI_INPUT_MESSAGES]: text };
      const attributes = Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));
      const data = { resourceSpans: [{ scopeSpans: [{ spans: [{ attributes } as unknown as Span] }] }] };
      expect(said(withSaidContent(data), ATTR_GEN_AI_INPUT_MESSAGES)).toEqual([text]);
      expect(said(withSaidContent(data), ATTR_GEN_AI_SYSTEM_INSTRUCTIONS)).toEqual([instructions]);
    }
  });
});
