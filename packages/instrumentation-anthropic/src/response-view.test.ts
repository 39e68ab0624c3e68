import { ATTR_ERROR_TYPE } from '@reenact/semconv/core';
import {
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_RESPONSE_FINISH_REASONS,
  ATTR_GEN_AI_RESPONSE_ID,
  ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
  ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS,
} from '@reenact/semconv/gen-ai';
import { describe, expect, it } from 'vitest';
import { endsMessage } from './ends-message.ts';
import { responseView } from './response-view.ts';

const usage = {
  input_tokens: 9,
  cache_read_input_tokens: 4,
  cache_creation_input_tokens: 2,
  output_tokens: 42,
  output_tokens_details: { thinking_tokens: 30 },
};
const content = [
  { type: 'thinking', thinking: 'Dollars.', signature: 'c2ln' },
  { type: 'text', text: 'Sold.' },
  { type: 'tool_use', id: 'toolu_1', name: 'price', input: { symbol: 'ACME' } },
];
const whole = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content,
  stop_reason: 'tool_use',
  usage,
};
const parts = [
  { type: 'reasoning', content: 'Dollars.', signature: 'c2ln' },
  { type: 'text', content: 'Sold.' },
  { type: 'tool_call', id: 'toolu_1', name: 'price', arguments: { symbol: 'ACME' } },
];
const counted = {
  [ATTR_GEN_AI_USAGE_INPUT_TOKENS]: 15,
  [ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS]: 4,
  [ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS]: 2,
  [ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: 42,
  [ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS]: 30,
};

function event(data: { readonly type: string; readonly [member: string]: unknown }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

const { output_tokens_details: details, ...startUsage } = usage;
const events = [
  event({
    type: 'message_start',
    message: { ...whole, content: [], stop_reason: null, usage: { ...startUsage, output_tokens: 1 } },
  }),
  event({ type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } }),
  event({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Dollars.' } }),
  event({ type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'c2ln' } }),
  event({ type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } }),
  event({ type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Sold' } }),
  event({ type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: '.' } }),
  event({
    type: 'content_block_start',
    index: 2,
    content_block: { type: 'tool_use', id: 'toolu_1', name: 'price', input: {} },
  }),
  event({ type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"symbol":' } }),
  event({ type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '"ACME"}' } }),
  event({
    type: 'message_delta',
    delta: { stop_reason: 'tool_use' },
    usage: { input_tokens: null, output_tokens: 42, output_tokens_details: details },
  }),
  event({ type: 'message_stop' }),
];

function messagesOf(body: string, isStreamed: boolean): unknown {
  return JSON.parse(String(responseView(body, isStreamed).content?.[ATTR_GEN_AI_OUTPUT_MESSAGES]));
}

describe('the response view', () => {
  it.each([
    ['whole', JSON.stringify(whole), false],
    ['streamed', events.join(''), true],
  ])('of a %s message says the same', (_, body, isStreamed) => {
    expect(responseView(body, isStreamed).slim).toMatchObject({
      [ATTR_GEN_AI_RESPONSE_ID]: 'msg_1',
      [ATTR_GEN_AI_RESPONSE_FINISH_REASONS]: ['tool_call'],
      ...counted,
    });
    expect(messagesOf(body, isStreamed)).toEqual([{ role: 'assistant', parts, finish_reason: 'tool_call' }]);
  });

  it('of a stream that broke off says what came', () => {
    expect(messagesOf(`${events.slice(0, 6).join('')}event: content_bl`, true)).toEqual([
      { role: 'assistant', parts: [parts[0], { type: 'text', content: 'Sold' }] },
    ]);
  });

  it('of a stream in which the provider reported an error says which, and what came before', () => {
    const told = event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } });
    const text = [...events.slice(0, 6), told].join('');
    expect(responseView(text, true).slim?.[ATTR_ERROR_TYPE]).toBe('overloaded_error');
    expect(messagesOf(text, true)).toHaveLength(1);
    expect(responseView(events.join(''), true).slim).not.toHaveProperty([ATTR_ERROR_TYPE]);
  });

  it('of an error says nothing', () => {
    const { slim, content: said } = responseView('{"type":"error","error":{"type":"overloaded_error"}}', false);
    expect([slim, said]).toEqual([{}, {}]);
  });
});

describe('the end of a stream', () => {
  it('is the event behind which nothing follows', () => {
    expect(events.map((text) => endsMessage(text))).toEqual(events.map((_, index) => index === events.length - 1));
    expect(endsMessage(events.join('').replaceAll('\n', '\r\n'))).toBe(true);
    expect(endsMessage('data: {"text":"event: message_stop"}\n\n')).toBe(false);
  });
});
