import { buildRecording } from '@reenact/recordings/testing';
import type { Crossing, ReconstructedOutput } from '@reenact/trace-model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ChatToolCall, chatCompletion } from './chat-completion.ts';
import { chatCompletionChunks } from './chat-completion-chunks.ts';

const [crossing] = buildRecording({ label: 'model:openai.chat' }).crossings as [Crossing];

interface Choice {
  readonly index: number;
  readonly message: { readonly content: string | null; readonly tool_calls?: readonly ChatToolCall[] };
  readonly finish_reason: string;
}

function choicesOf(output: ReconstructedOutput): Choice[] {
  return chatCompletion(output, crossing).choices as Choice[];
}

const part = fc.oneof(
  fc.record({ type: fc.constant('text'), content: fc.string({ unit: 'grapheme' }) }),
  fc.record({
    type: fc.constant('tool_call'),
    id: fc.string({ minLength: 1 }),
    name: fc.string(),
    arguments: fc.jsonValue(),
  }),
);

const outputs: fc.Arbitrary<ReconstructedOutput> = fc.record(
  {
    messages: fc.array(
      fc.record({
        role: fc.constant('assistant'),
        parts: fc.array(part),
        finish_reason: fc.constantFrom('stop', 'tool_call', 'length'),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    inputTokens: fc.nat(),
    outputTokens: fc.nat(),
    id: fc.string({ minLength: 1 }),
  },
  { requiredKeys: ['messages'] },
);

/** What a client library puts together from streamed events. */
function gathered(events: readonly string[]): Map<number, { text: string; calls: string[]; reason: string | null }> {
  const choices = new Map<number, { text: string; calls: string[]; reason: string | null }>();
  for (const event of events) {
    if (event === 'data: [DONE]\n\n') continue;
    const chunk = JSON.parse(event.slice('data: '.length)) as { choices: StreamedChoice[] };
    for (const { index, delta, finish_reason } of chunk.choices) {
      const choice = choices.get(index) ?? { text: '', calls: [], reason: null };
      choice.text += delta.content ?? '';
      for (const call of delta.tool_calls ?? []) {
        choice.calls[call.index] =
          (choice.calls[call.index] ?? `${call.id} ${call.function.name} `) + call.function.arguments;
      }
      choice.reason ??= finish_reason;
      choices.set(index, choice);
    }
  }
  return choices;
}

interface StreamedChoice {
  readonly index: number;
  readonly finish_reason: string | null;
  readonly delta: {
    readonly content?: string | null;
    readonly tool_calls?: readonly { index: number; id?: string; function: { name?: string; arguments: string } }[];
  };
}

describe('a rebuilt completion', () => {
  it('says the same streamed and whole, whatever it says', () => {
    fc.assert(
      fc.property(outputs, fc.boolean(), (output, includeUsage) => {
        const streamed = gathered(chatCompletionChunks(output, crossing, includeUsage));
        for (const { index, message, finish_reason } of choicesOf(output)) {
          const calls = (message.tool_calls ?? []).map(
            ({ id, function: called }) => `${id} ${called.name} ${called.arguments}`,
          );
          expect(streamed.get(index)).toEqual({ text: message.content ?? '', calls, reason: finish_reason });
        }
      }),
    );
  });

  it('has no text where only tools are called, and arguments that mean what was recorded', () => {
    const call = { type: 'tool_call', id: null, name: 'f', arguments: { city: 'Köln' } };
    const [choice] = choicesOf({ messages: [{ role: 'assistant', parts: [call], finish_reason: 'tool_call' }] });
    expect(choice).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } });
    expect(choice?.message.tool_calls).toEqual([
      { id: `call_${crossing.spanId}_0`, type: 'function', function: { name: 'f', arguments: '{"city":"Köln"}' } },
    ]);
  });

  it('keeps argument text as it was written, and gives an empty object for none', () => {
    const parts = ['{ "a" : 1 }', null].map((value) => ({ type: 'tool_call', id: 'c', name: 'f', arguments: value }));
    const [choice] = choicesOf({ messages: [{ role: 'assistant', parts }] });
    expect(choice?.message.tool_calls?.map(({ function: called }) => called.arguments)).toEqual(['{ "a" : 1 }', '{}']);
    expect(choice?.finish_reason).toBe('tool_calls');
  });

  it('makes up the same id every time where none was recorded', () => {
    const output = { messages: [{ role: 'assistant', parts: [] }] };
    expect(chatCompletion(output, crossing)).toEqual(chatCompletion(output, crossing));
    expect(chatCompletion(output, crossing)).toMatchObject({
      id: `chatcmpl-${crossing.spanId}`,
      object: 'chat.completion',
    });
    expect(chatCompletion(output, crossing)).not.toHaveProperty('usage');
  });

  it('tells usage at the end of a stream only to those who ask', () => {
    const output = { messages: [{ role: 'assistant', parts: [] }], inputTokens: 3, cachedInputTokens: 2 };
    const usage = {
      prompt_tokens: 3,
      completion_tokens: 0,
      total_tokens: 3,
      prompt_tokens_details: { cached_tokens: 2 },
    };
    expect(chatCompletion(output, crossing)).toMatchObject({ usage });
    expect(JSON.parse(chatCompletionChunks(output, crossing, true).at(-2)?.slice(6) ?? '')).toMatchObject({
      choices: [],
      usage,
    });
    expect(chatCompletionChunks(output, crossing, false).join('')).not.toContain('usage');
  });
});
