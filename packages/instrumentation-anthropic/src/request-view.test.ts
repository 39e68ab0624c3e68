import {
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_OUTPUT_TYPE,
  ATTR_GEN_AI_PROVIDER_NAME,
  ATTR_GEN_AI_REQUEST_MAX_TOKENS,
  ATTR_GEN_AI_REQUEST_MODEL,
  ATTR_GEN_AI_REQUEST_REASONING_LEVEL,
  ATTR_GEN_AI_REQUEST_STOP_SEQUENCES,
  ATTR_GEN_AI_REQUEST_STREAM,
  ATTR_GEN_AI_REQUEST_TEMPERATURE,
  ATTR_GEN_AI_REQUEST_TOP_K,
  ATTR_GEN_AI_REQUEST_TOP_P,
  ATTR_GEN_AI_SYSTEM_INSTRUCTIONS,
  ATTR_GEN_AI_TOOL_DEFINITIONS,
} from '@reenact/semconv/gen-ai';
import { describe, expect, it } from 'vitest';
import { clientAt, described } from './testdata/recorded-message.ts';

function contentOf(body: object): Record<string, unknown> {
  const { content = {} } = described(body).gateCall.span;
  return Object.fromEntries(Object.entries(content).map(([key, value]) => [key, JSON.parse(String(value))]));
}

describe('the request view', () => {
  it('names operation, provider, model, sampling and server', () => {
    const { gateCall } = described({
      model: 'claude-sonnet-5',
      max_tokens: 64,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      stop_sequences: ['END'],
      stream: true,
      output_config: { effort: 'low', format: { type: 'json_schema', schema: {} } },
    });
    expect(gateCall.boundary).toMatchObject({ kind: 'model', name: 'anthropic.messages', effect: 'read' });
    expect(gateCall.span.name).toBe('chat claude-sonnet-5');
    expect(gateCall.span.slim).toEqual({
      [ATTR_GEN_AI_OPERATION_NAME]: 'chat',
      [ATTR_GEN_AI_OUTPUT_TYPE]: 'json',
      [ATTR_GEN_AI_PROVIDER_NAME]: 'anthropic',
      [ATTR_GEN_AI_REQUEST_MAX_TOKENS]: 64,
      [ATTR_GEN_AI_REQUEST_MODEL]: 'claude-sonnet-5',
      [ATTR_GEN_AI_REQUEST_REASONING_LEVEL]: 'low',
      [ATTR_GEN_AI_REQUEST_STOP_SEQUENCES]: ['END'],
      [ATTR_GEN_AI_REQUEST_STREAM]: true,
      [ATTR_GEN_AI_REQUEST_TEMPERATURE]: 0.5,
      [ATTR_GEN_AI_REQUEST_TOP_K]: 40,
      [ATTR_GEN_AI_REQUEST_TOP_P]: 0.9,
      'server.address': 'api.anthropic.com',
      'server.port': 443,
    });
  });
});

describe('the messages', () => {
  it('have a part for every kind of block', () => {
    const content = [
      { type: 'text', text: 'Look:' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aW1n' } },
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      { type: 'document', source: { type: 'file', file_id: 'file_1' } },
    ];
    const answer = [
      { type: 'thinking', thinking: 'Dollars.', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'c2VjcmV0' },
      { type: 'tool_use', id: 'toolu_1', name: 'price', input: { symbol: 'ACME' } },
      { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'ACME' } },
      { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: [] },
    ];
    const results = [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'halted', is_error: true }];
    const messages = [
      { role: 'user', content },
      { role: 'assistant', content: answer },
      { role: 'user', content: results },
    ];
    const expected = [
      [
        'user',
        { type: 'text', content: 'Look:' },
        { type: 'blob', modality: 'image', mime_type: 'image/png', content: 'aW1n' },
        { type: 'uri', modality: 'image', uri: 'https://example.com/a.png' },
        { type: 'file', modality: 'document', file_id: 'file_1' },
      ],
      [
        'assistant',
        { type: 'reasoning', content: 'Dollars.', signature: 'c2ln' },
        { type: 'redacted_thinking', data: 'c2VjcmV0' },
        { type: 'tool_call', id: 'toolu_1', name: 'price', arguments: { symbol: 'ACME' } },
        {
          type: 'server_tool_call',
          id: 'srv_1',
          name: 'web_search',
          server_tool_call: { type: 'web_search', input: { query: 'ACME' } },
        },
        {
          type: 'server_tool_call_response',
          id: 'srv_1',
          server_tool_call_response: { type: 'web_search_tool_result', content: [] },
        },
      ],
      ['tool', { type: 'tool_call_response', id: 'toolu_1', response: 'halted', is_error: true }],
    ];
    expect(contentOf({ model: 'm', messages })[ATTR_GEN_AI_INPUT_MESSAGES]).toEqual(
      expected.map(([role, ...parts]) => ({ role, parts })),
    );
  });
});

describe('the request', () => {
  it('keeps instructions and tools, those of the provider among them', () => {
    const tools = [
      { name: 'price', description: 'The price.', input_schema: { type: 'object' } },
      { type: 'web_search_20260101', name: 'web_search' },
    ];
    const seen = contentOf({ model: 'm', messages: [], system: [{ type: 'text', text: 'Be brief.' }], tools });
    expect(seen[ATTR_GEN_AI_SYSTEM_INSTRUCTIONS]).toEqual([{ type: 'text', content: 'Be brief.' }]);
    expect(seen[ATTR_GEN_AI_TOOL_DEFINITIONS]).toEqual([
      { type: 'function', name: 'price', description: 'The price.', parameters: { type: 'object' } },
      { type: 'web_search_20260101', name: 'web_search' },
    ]);
  });

  it('says which platform answers, under the same name', () => {
    const client = clientAt('https://bedrock-runtime.eu-west-1.amazonaws.com', { _genAIProviderName: 'aws.bedrock' });
    const { gateCall } = described({ model: 'm', messages: [] }, client);
    expect(gateCall.boundary.name).toBe('anthropic.messages');
    expect(gateCall.span.slim).toMatchObject({ 'server.address': 'bedrock-runtime.eu-west-1.amazonaws.com' });
    expect(Object.values(gateCall.span.slim ?? {})).toContain('aws.bedrock');
  });

  it.each(['/v1/messages/count_tokens', '/v1/messages/batches', '/v1/files'])('%s is no model call', (path) => {
    const { gateCall, responseView } = described({ model: 'm' }, clientAt('https://api.anthropic.com'), path);
    expect(gateCall.boundary).toMatchObject({ kind: 'http', name: 'POST api.anthropic.com' });
    expect(responseView).toBeUndefined();
  });

  it.each([
    [null],
    [[]],
    ['text'],
    [{ messages: 5, tools: {}, system: 7 }],
    [{ messages: [null, { content: [null] }] }],
  ])('never fails on %o', (body) => {
    expect(() => described(body as unknown as object)).not.toThrow();
  });
});
