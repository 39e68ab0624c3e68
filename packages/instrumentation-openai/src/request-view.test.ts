import { type StainlessClient, serverOf } from '@reenact/instrumentation';
import {
  ATTR_GEN_AI_EMBEDDINGS_DIMENSION_COUNT,
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_OUTPUT_TYPE,
  ATTR_GEN_AI_PROVIDER_NAME,
  ATTR_GEN_AI_REQUEST_CHOICE_COUNT,
  ATTR_GEN_AI_REQUEST_ENCODING_FORMATS,
  ATTR_GEN_AI_REQUEST_FREQUENCY_PENALTY,
  ATTR_GEN_AI_REQUEST_MAX_TOKENS,
  ATTR_GEN_AI_REQUEST_MODEL,
  ATTR_GEN_AI_REQUEST_PRESENCE_PENALTY,
  ATTR_GEN_AI_REQUEST_PREVIOUS_RESPONSE_ID,
  ATTR_GEN_AI_REQUEST_REASONING_LEVEL,
  ATTR_GEN_AI_REQUEST_SEED,
  ATTR_GEN_AI_REQUEST_STOP_SEQUENCES,
  ATTR_GEN_AI_REQUEST_STREAM,
  ATTR_GEN_AI_REQUEST_TEMPERATURE,
  ATTR_GEN_AI_REQUEST_TOP_P,
  ATTR_GEN_AI_TOOL_DEFINITIONS,
} from '@reenact/semconv/gen-ai';
import { describe, expect, it } from 'vitest';
import { endpointOf } from './endpoint.ts';
import { requestView } from './request-view.ts';

const server = { url: new URL('https://api.openai.com/v1'), address: 'api.openai.com', port: 443 };

function contentOf(endpoint: 'chat' | 'responses', body: object): Record<string, unknown> {
  const { content = {} } = requestView({ endpoint, provider: 'openai', server }, body);
  return Object.fromEntries(Object.entries(content).map(([key, value]) => [key, JSON.parse(String(value))]));
}

function slimOf(endpoint: 'chat' | 'responses' | 'embeddings', body: object): unknown {
  return requestView({ endpoint, provider: 'openai', server }, body).slim;
}

describe('attributes of a request', () => {
  it('of chat: every sampling parameter that was sent, and no other', () => {
    const body = {
      model: 'gpt-4o',
      messages: [],
      temperature: 0,
      top_p: 0.5,
      max_completion_tokens: 100,
      seed: 7,
      stop: 'END',
      frequency_penalty: 0.1,
      presence_penalty: -0.1,
      n: 2,
      stream: true,
      reasoning_effort: 'low',
      response_format: { type: 'json_schema' },
      service_tier: 'flex',
    };
    expect(slimOf('chat', body)).toEqual({
      [ATTR_GEN_AI_OPERATION_NAME]: 'chat',
      [ATTR_GEN_AI_PROVIDER_NAME]: 'openai',
      [ATTR_GEN_AI_REQUEST_MODEL]: 'gpt-4o',
      'openai.api.type': 'chat_completions',
      [ATTR_GEN_AI_REQUEST_TEMPERATURE]: 0,
      [ATTR_GEN_AI_REQUEST_TOP_P]: 0.5,
      [ATTR_GEN_AI_REQUEST_MAX_TOKENS]: 100,
      [ATTR_GEN_AI_REQUEST_SEED]: 7,
      [ATTR_GEN_AI_REQUEST_STOP_SEQUENCES]: ['END'],
      [ATTR_GEN_AI_REQUEST_FREQUENCY_PENALTY]: 0.1,
      [ATTR_GEN_AI_REQUEST_PRESENCE_PENALTY]: -0.1,
      [ATTR_GEN_AI_REQUEST_CHOICE_COUNT]: 2,
      [ATTR_GEN_AI_REQUEST_STREAM]: true,
      [ATTR_GEN_AI_REQUEST_REASONING_LEVEL]: 'low',
      [ATTR_GEN_AI_OUTPUT_TYPE]: 'json',
      'openai.request.service_tier': 'flex',
      'server.address': 'api.openai.com',
      'server.port': 443,
    });
  });
});

describe('attributes of other requests', () => {
  it('leave out what is usual or malformed', () => {
    const body = { model: 5, n: 1, stream: false, service_tier: 'auto', stop: null, temperature: 'hot', seed: null };
    expect(slimOf('chat', body)).toEqual({
      [ATTR_GEN_AI_OPERATION_NAME]: 'chat',
      [ATTR_GEN_AI_PROVIDER_NAME]: 'openai',
      'openai.api.type': 'chat_completions',
      'server.address': 'api.openai.com',
      'server.port': 443,
    });
  });

  it('of responses and embeddings', () => {
    const reasoning = { effort: 'high' };
    const text = { format: { type: 'text' } };
    expect(
      slimOf('responses', { max_output_tokens: 9, reasoning, text, previous_response_id: 'resp_1' }),
    ).toMatchObject({
      [ATTR_GEN_AI_REQUEST_MAX_TOKENS]: 9,
      [ATTR_GEN_AI_REQUEST_REASONING_LEVEL]: 'high',
      [ATTR_GEN_AI_OUTPUT_TYPE]: 'text',
      [ATTR_GEN_AI_REQUEST_PREVIOUS_RESPONSE_ID]: 'resp_1',
      'openai.api.type': 'responses',
    });
    expect(
      slimOf('embeddings', { model: 'e', dimensions: 8, encoding_format: 'base64', temperature: 1 }),
    ).toMatchObject({
      [ATTR_GEN_AI_OPERATION_NAME]: 'embeddings',
      [ATTR_GEN_AI_EMBEDDINGS_DIMENSION_COUNT]: 8,
      [ATTR_GEN_AI_REQUEST_ENCODING_FORMATS]: ['base64'],
    });
  });
});

describe('messages of a chat request', () => {
  it('become parts: text, calls, answers, pictures, sounds, files', () => {
    const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } };
    const broken = { id: 'c2', type: 'function', function: { name: 'g', arguments: '{"a":' } };
    const content = [
      { type: 'text', text: 'look' },
      { type: 'image_url', image_url: { url: 'https://host/cat.png' } },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      { type: 'input_audio', input_audio: { data: 'BBBB', format: 'wav' } },
      { type: 'file', file: { file_id: 'file-1' } },
    ];
    const messages = [
      { role: 'developer', content: 'Be short.' },
      { role: 'user', name: 'ada', content },
      { role: 'assistant', content: null, refusal: 'no', tool_calls: [call, broken] },
      { role: 'tool', tool_call_id: 'c1', content: '42' },
    ];
    expect(contentOf('chat', { messages })[ATTR_GEN_AI_INPUT_MESSAGES]).toEqual([
      { role: 'system', parts: [{ type: 'text', content: 'Be short.' }] },
      {
        role: 'user',
        name: 'ada',
        parts: [
          { type: 'text', content: 'look' },
          { type: 'uri', modality: 'image', uri: 'https://host/cat.png' },
          { type: 'blob', modality: 'image', mime_type: 'image/png', content: 'AAAA' },
          { type: 'blob', modality: 'audio', mime_type: 'audio/wav', content: 'BBBB' },
          { type: 'file', modality: 'document', file_id: 'file-1' },
        ],
      },
      {
        role: 'assistant',
        parts: [
          { type: 'refusal', content: 'no' },
          { type: 'tool_call', id: 'c1', name: 'f', arguments: { a: 1 } },
          { type: 'tool_call', id: 'c2', name: 'g', arguments: '{"a":' },
        ],
      },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: '42' }] },
    ]);
  });

  it('list the tools of either API alike', () => {
    const definition = { name: 'f', description: 'does f', parameters: { type: 'object' } };
    const expected = [{ type: 'function', ...definition }];
    const nested = { messages: [], tools: [{ type: 'function', function: definition }] };
    expect(contentOf('chat', nested)[ATTR_GEN_AI_TOOL_DEFINITIONS]).toEqual(expected);
    const flat = { input: 'x', tools: [{ type: 'function', ...definition }, { type: 'web_search' }] };
    expect(contentOf('responses', flat)[ATTR_GEN_AI_TOOL_DEFINITIONS]).toEqual([
      ...expected,
      { type: 'web_search', name: 'web_search' },
    ]);
  });
});

describe('input of the responses API', () => {
  it('becomes messages: calls are the assistant’s, outputs the tool’s, reasoning keeps its seal', () => {
    const input = [
      { role: 'user', content: [{ type: 'input_text', text: 'sell' }] },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'sealed' },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'done' },
      { type: 'item_reference', id: 'msg_1' },
    ];
    expect(contentOf('responses', { input })[ATTR_GEN_AI_INPUT_MESSAGES]).toEqual([
      { role: 'user', parts: [{ type: 'text', content: 'sell' }] },
      { role: 'assistant', parts: [{ type: 'reasoning', content: 'hm', encrypted_content: 'sealed' }] },
      { role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'f', arguments: {} }] },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: 'done' }] },
      { role: 'assistant', parts: [{ type: 'item_reference', id: 'msg_1' }] },
    ]);
  });
});

describe('what a call is', () => {
  it.each([
    ['post', '/chat/completions', 'chat'],
    ['POST', 'https://proxy/v1/chat/completions?x=1', 'chat'],
    ['post', '/responses', 'responses'],
    ['post', '/embeddings', 'embeddings'],
    ['get', '/responses/resp_1', 'other'],
    ['post', '/responses/resp_1/cancel', 'other'],
    ['get', '/chat/completions', 'other'],
    ['post', '/completions', 'other'],
    ['post', '/files', 'other'],
  ])('%s %s is %s', (method, path, endpoint) => {
    expect(endpointOf({ method, path })).toBe(endpoint);
  });

  it.each([
    ['https://api.openai.com/v1', 'api.openai.com', 443],
    ['http://localhost:11434/v1', 'localhost', 11434],
    ['http://[::1]/v1', '::1', 80],
  ])('goes to the server of %s', (baseURL, address, port) => {
    const client = { baseURL } as StainlessClient;
    expect(serverOf(client, { method: 'post', path: '/chat/completions' })).toMatchObject({ address, port });
  });

  it('has no server where the address is none', () => {
    expect(serverOf({ baseURL: 'nowhere' } as StainlessClient, { method: 'get', path: '/x' })).toBeUndefined();
  });
});
