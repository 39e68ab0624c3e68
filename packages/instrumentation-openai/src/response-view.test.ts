import { ATTR_ERROR_TYPE } from '@reenact/semconv/core';
import {
  ATTR_GEN_AI_EMBEDDINGS_DIMENSION_COUNT,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_RESPONSE_FINISH_REASONS,
  ATTR_GEN_AI_RESPONSE_ID,
  ATTR_GEN_AI_RESPONSE_MODEL,
  ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
  ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS,
} from '@reenact/semconv/gen-ai';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { responseView } from './response-view.ts';

interface Call {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

interface Completion {
  readonly content: string;
  readonly calls: readonly Call[];
}

const usage = {
  prompt_tokens: 10,
  completion_tokens: 5,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 3 },
};
const head = { id: 'chatcmpl-9', model: 'gpt-4o-2024-08-06', service_tier: 'default', system_fingerprint: 'fp_9' };

function whole({ content, calls }: Completion): string {
  const message = {
    role: 'assistant',
    content: content === '' ? null : content,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return JSON.stringify({ ...head, usage, choices: [{ index: 0, message, finish_reason: 'tool_calls' }] });
}

function pieces(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
}

/** The same completion as a provider streams it, texts cut into pieces of `size`. */
function streamed({ content, calls }: Completion, size: number): string {
  const deltas: object[] = [
    { role: 'assistant', content: '' },
    ...pieces(content, size).map((piece) => ({ content: piece })),
    ...calls.flatMap(({ id, type, function: called }, index) => [
      { tool_calls: [{ index, id, type, function: { name: called.name, arguments: '' } }] },
      ...pieces(called.arguments, size).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
  ];
  const chunks = [
    ...deltas.map((delta) => ({ ...head, choices: [{ index: 0, delta, finish_reason: null }] })),
    { ...head, choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
    { ...head, choices: [], usage },
  ];
  return `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`;
}

const completion = fc.record({
  content: fc.string({ unit: 'binary' }),
  calls: fc.array(
    fc.record({
      id: fc.string({ minLength: 1 }),
      type: fc.constant('function' as const),
      function: fc.record({ name: fc.string({ minLength: 1 }), arguments: fc.json() }),
    }),
    { maxLength: 3 },
  ),
});

describe('a chat completion', () => {
  it('has the same view whether it was streamed or not, in whatever pieces', () => {
    fc.assert(
      fc.property(completion, fc.integer({ min: 1, max: 9 }), (value, size) => {
        expect(responseView('chat', streamed(value, size), true)).toEqual(responseView('chat', whole(value), false));
      }),
    );
  });

  it('tells model, tier, finish reason and tokens', () => {
    expect(responseView('chat', whole({ content: 'hi', calls: [] }), false).slim).toEqual({
      [ATTR_GEN_AI_RESPONSE_ID]: 'chatcmpl-9',
      [ATTR_GEN_AI_RESPONSE_MODEL]: 'gpt-4o-2024-08-06',
      [ATTR_GEN_AI_RESPONSE_FINISH_REASONS]: ['tool_call'],
      'openai.response.service_tier': 'default',
      'openai.response.system_fingerprint': 'fp_9',
      [ATTR_GEN_AI_USAGE_INPUT_TOKENS]: 10,
      [ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: 5,
      [ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS]: 4,
      [ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS]: 3,
    });
  });

  it('that broke off is told as far as it came', () => {
    const text = streamed({ content: 'a long answer', calls: [] }, 3);
    const { slim, content } = responseView('chat', text.slice(0, text.indexOf('swe') + 2), true);
    expect(slim).not.toHaveProperty([ATTR_GEN_AI_RESPONSE_FINISH_REASONS]);
    expect(String(content?.[ATTR_GEN_AI_OUTPUT_MESSAGES])).toContain('a long an"');
  });

  it.each([
    ['code', { error: { message: 'busy', type: 'server_error', code: 'overloaded' } }, 'overloaded'],
    ['kind', { error: { message: 'busy', type: 'server_error', code: null } }, 'server_error'],
    ['bare word', { error: {} }, 'error'],
  ])('in which the provider reported an error says its %s', (_, told, type) => {
    const text = `${streamed({ content: 'half', calls: [] }, 9)}data: ${JSON.stringify(told)}\n\n`;
    expect(responseView('chat', text, true).slim?.[ATTR_ERROR_TYPE]).toBe(type);
  });

  it('with a member for errors that is empty was not ended by one', () => {
    const text = `data: ${JSON.stringify({ id: 'chatcmpl-9', choices: [], error: null })}\n\n`;
    expect(responseView('chat', text, true).slim).not.toHaveProperty([ATTR_ERROR_TYPE]);
  });

  it('never fails over a strange stream', () => {
    const event = fc.oneof(fc.json(), fc.string(), fc.constant('[DONE]'));
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const text = events.map((data) => `data: ${data.replaceAll(/[\r\n]/g, '')}\n\n`).join('');
        expect(() => responseView('chat', text, true)).not.toThrow();
        expect(() => responseView('responses', text, true)).not.toThrow();
      }),
    );
  });
});

const call = { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: '{"a":1}', status: 'completed' };
const response = {
  id: 'resp_1',
  model: 'gpt-5',
  status: 'completed',
  service_tier: 'default',
  output: [call],
  usage: { input_tokens: 3, output_tokens: 2, input_tokens_details: { cached_tokens: 1 } },
};

describe('a response object', () => {
  it.each([
    [{}, 'tool_call'],
    [{ output: [] }, 'stop'],
    [{ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }, 'length'],
    [{ status: 'incomplete', incomplete_details: { reason: 'content_filter' } }, 'content_filter'],
    [{ status: 'failed' }, 'error'],
    [{ status: 'cancelled' }, 'error'],
  ])('with %j finished by %s', (members, reason) => {
    const { slim } = responseView('responses', JSON.stringify({ ...response, ...members }), false);
    expect(slim?.[ATTR_GEN_AI_RESPONSE_FINISH_REASONS]).toEqual([reason]);
  });

  it('is told by the last event of its stream', () => {
    const events = [
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
      { type: 'response.completed', response },
    ];
    const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
    expect(responseView('responses', text, true)).toEqual(responseView('responses', JSON.stringify(response), false));
  });

  it('says which error the provider reported inside of its stream', () => {
    const told = { type: 'error', code: 'rate_limit_exceeded', message: 'slow down', param: null, sequence_number: 1 };
    const text = `event: error\ndata: ${JSON.stringify(told)}\n\n`;
    expect(responseView('responses', text, true).slim?.[ATTR_ERROR_TYPE]).toBe('rate_limit_exceeded');
  });

  it('that broke off is put together from its items', () => {
    const events = [
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
      {
        type: 'response.output_item.added',
        output_index: 0,
        item: { type: 'message', role: 'assistant', content: [] },
      },
      { type: 'response.output_text.delta', output_index: 0, delta: 'half an ' },
      { type: 'response.output_text.delta', output_index: 0, delta: 'answer' },
      { type: 'response.output_item.added', output_index: 1, item: { ...call, arguments: '' } },
      { type: 'response.function_call_arguments.delta', output_index: 1, delta: '{"a":' },
    ];
    const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
    const { content } = responseView('responses', text, true);
    expect(JSON.parse(String(content?.[ATTR_GEN_AI_OUTPUT_MESSAGES]))).toEqual([
      {
        role: 'assistant',
        parts: [
          { type: 'text', content: 'half an answer' },
          { type: 'tool_call', id: 'c1', name: 'f', arguments: '{"a":' },
        ],
      },
    ]);
  });
});

describe('an answer with embeddings', () => {
  it.each([
    ['numbers', [0.5, -0.5, 1], 3],
    ['32-bit floats in base64', Buffer.from(new Float32Array(1536).buffer).toString('base64'), 1536],
    ['what is no vector', null, undefined],
  ])('tells how long its vectors are: %s', (_, embedding, count) => {
    const text = JSON.stringify({ model: 'e', data: [{ object: 'embedding', index: 0, embedding }] });
    expect(responseView('embeddings', text, false).slim?.[ATTR_GEN_AI_EMBEDDINGS_DIMENSION_COUNT]).toBe(count);
  });

  it('and without any tells nothing of them', () => {
    for (const data of [[], 'none', undefined])
      expect(responseView('embeddings', JSON.stringify({ model: 'e', data }), false).slim).toEqual({
        [ATTR_GEN_AI_RESPONSE_MODEL]: 'e',
      });
  });
});
