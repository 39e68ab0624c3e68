import * as keys from '@reenact/semconv/gen-ai';
import { describe, expect, it } from 'vitest';
import { toldOfModel } from '../testdata/told-of-model.ts';

const eventStream = { 'content-type': 'text/event-stream; charset=utf-8' };

const events = (...parts: readonly (object | string)[]): string =>
  parts.map((part) => `data: ${typeof part === 'string' ? part : JSON.stringify(part)}\n\n`).join('');

const lines = (...parts: readonly object[]): string => parts.map((part) => `${JSON.stringify(part)}\n`).join('');

const messages = [{ role: 'user', content: 'hello' }];

const chat = 'https://api.mistral.ai/v1/chat/completions';
const chatSent = { model: 'mistral-large-latest', messages };
const chatUsage = {
  prompt_tokens: 20,
  completion_tokens: 9,
  prompt_tokens_details: { cached_tokens: 8 },
  completion_tokens_details: { reasoning_tokens: 4 },
};
const chatTold = {
  [keys.ATTR_GEN_AI_OPERATION_NAME]: 'chat',
  [keys.ATTR_GEN_AI_PROVIDER_NAME]: 'mistral_ai',
  [keys.ATTR_GEN_AI_REQUEST_MODEL]: 'mistral-large-latest',
  [keys.ATTR_GEN_AI_RESPONSE_MODEL]: 'mistral-large-2512',
  [keys.ATTR_GEN_AI_RESPONSE_ID]: 'c1',
  [keys.ATTR_GEN_AI_RESPONSE_FINISH_REASONS]: ['tool_call'],
  [keys.ATTR_GEN_AI_USAGE_INPUT_TOKENS]: 20,
  [keys.ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS]: 8,
  [keys.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: 9,
  [keys.ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS]: 4,
};
const completion = {
  id: 'c1',
  model: 'mistral-large-2512',
  choices: [{ finish_reason: 'tool_calls' }],
  usage: chatUsage,
};

describe('a call of an OpenAI-like API over plain HTTP', () => {
  it('tells the model and what it used', () => {
    expect(toldOfModel({ path: chat, sent: chatSent, body: JSON.stringify(completion) })).toEqual(chatTold);
  });

  it('tells it of a stream, by whichever part has the counts', () => {
    const part = { id: 'c1', model: 'mistral-large-2512', usage: null };
    const open = { ...part, choices: [{ delta: { content: 'a' }, finish_reason: null }] };
    const streamed = { path: chat, sent: { ...chatSent, stream: true }, headers: eventStream };
    const answer = { ...chatTold, [keys.ATTR_GEN_AI_REQUEST_STREAM]: true };
    expect(toldOfModel({ ...streamed, body: events(open, completion, '[DONE]') })).toEqual(answer);
    const last = { ...part, choices: [{ finish_reason: 'tool_calls' }], x_groq: { usage: chatUsage } };
    expect(toldOfModel({ ...streamed, body: events(open, last, '[DONE]') })).toEqual(answer);
    const counts = { ...part, choices: [], usage: chatUsage };
    const beside = { ...part, choices: [{ finish_reason: 'tool_calls' }] };
    expect(toldOfModel({ ...streamed, body: events(open, beside, counts, '[DONE]') })).toEqual(answer);
  });

  it('tells which model was asked where the answer is none', () => {
    const asked = {
      [keys.ATTR_GEN_AI_OPERATION_NAME]: 'chat',
      [keys.ATTR_GEN_AI_PROVIDER_NAME]: 'mistral_ai',
      [keys.ATTR_GEN_AI_REQUEST_MODEL]: 'mistral-large-latest',
    };
    for (const body of ['', 'overloaded', '{"error":{"message":"rate limited"}}', '[null]', events('half {')])
      expect(toldOfModel({ path: chat, sent: chatSent, body })).toEqual(asked);
  });
});

describe('a request to an OpenAI-like API', () => {
  it.each([
    ['https://api.openai.com/v1/chat/completions', 'openai'],
    ['https://me.openai.azure.com/openai/v1/chat/completions', 'azure.ai.openai'],
    ['https://generativelanguage.googleapis.com/v1beta/openai/chat/completions', 'gcp.gemini'],
    ['https://eu-aiplatform.googleapis.com/v1/x/chat/completions', 'gcp.vertex_ai'],
    ['https://notx.ai.example/v1/chat/completions', 'openai'],
    ['https://relax.ai/v1/chat/completions', 'openai'],
    ['https://not-mistral.ai/v1/chat/completions', 'openai'],
    ['http://localhost:8000/v1/chat/completions', 'openai'],
  ])('is one of its provider by its host: %s', (url, provider) => {
    expect(toldOfModel({ path: url, sent: chatSent, body: '' })).toMatchObject({
      [keys.ATTR_GEN_AI_PROVIDER_NAME]: provider,
    });
  });

  it('names the deployment where the body names no model', () => {
    const azure = 'https://me.openai.azure.com/openai/deployments/ours/chat/completions?api-version=1';
    const named = { [keys.ATTR_GEN_AI_REQUEST_MODEL]: 'ours' };
    expect(toldOfModel({ path: azure, sent: { messages }, body: '' })).toMatchObject(named);
  });

  it('tells of completions of a text and of embeddings', () => {
    const text = { path: '/v1/fim/completions', sent: { model: 'codestral', prompt: 'f(' } };
    expect(toldOfModel({ ...text, body: '{"choices":[{"finish_reason":"length"}]}' })).toMatchObject({
      [keys.ATTR_GEN_AI_OPERATION_NAME]: 'text_completion',
      [keys.ATTR_GEN_AI_RESPONSE_FINISH_REASONS]: ['length'],
    });
    const embed = { path: '/v1/embeddings', sent: { model: 'embed-3', input: ['a'] } };
    const vectors = { data: [{ embedding: [1] }], model: 'embed-3-large', usage: { prompt_tokens: 5 } };
    expect(toldOfModel({ ...embed, body: JSON.stringify(vectors) })).toEqual({
      [keys.ATTR_GEN_AI_OPERATION_NAME]: 'embeddings',
      [keys.ATTR_GEN_AI_PROVIDER_NAME]: 'openai',
      [keys.ATTR_GEN_AI_REQUEST_MODEL]: 'embed-3',
      [keys.ATTR_GEN_AI_RESPONSE_MODEL]: 'embed-3-large',
      [keys.ATTR_GEN_AI_USAGE_INPUT_TOKENS]: 5,
    });
  });
});

describe('a call of the Responses API over plain HTTP', () => {
  const path = '/v1/responses';
  const sent = { model: 'gpt-6', input: 'hello' };
  const response = {
    object: 'response',
    id: 'r1',
    model: 'gpt-6-1',
    status: 'completed',
    output: [{ type: 'function_call' }],
    usage: { input_tokens: 3, output_tokens: 2, output_tokens_details: { reasoning_tokens: 1 } },
  };
  const wanted = {
    [keys.ATTR_GEN_AI_REQUEST_MODEL]: 'gpt-6',
    [keys.ATTR_GEN_AI_RESPONSE_MODEL]: 'gpt-6-1',
    [keys.ATTR_GEN_AI_RESPONSE_FINISH_REASONS]: ['tool_call'],
    [keys.ATTR_GEN_AI_USAGE_INPUT_TOKENS]: 3,
    [keys.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: 2,
    [keys.ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS]: 1,
  };

  it('tells the model and what it used, whole and by the last event', () => {
    expect(toldOfModel({ path, sent, body: JSON.stringify(response) })).toMatchObject(wanted);
    const created = { type: 'response.created', response: { ...response, status: 'in_progress', usage: null } };
    const body = events(created, { type: 'response.output_text.delta' }, { type: 'response.completed', response });
    expect(toldOfModel({ path, sent, body, headers: eventStream })).toMatchObject(wanted);
  });

  it('tells why it stopped', () => {
    const ended = (more: object): object =>
      toldOfModel({ path, sent, body: JSON.stringify({ ...response, output: [], ...more }) });
    const reasons = (...values: string[]): object => ({ [keys.ATTR_GEN_AI_RESPONSE_FINISH_REASONS]: values });
    expect(ended({})).toMatchObject(reasons('stop'));
    expect(ended({ status: 'failed' })).toMatchObject(reasons('error'));
    const cut = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    expect(ended(cut)).toMatchObject(reasons('length'));
    expect(ended({ status: 'queued' })).not.toHaveProperty([keys.ATTR_GEN_AI_RESPONSE_FINISH_REASONS]);
  });
});

describe('a call of Anthropic over plain HTTP', () => {
  const path = 'https://api.anthropic.com/v1/messages';
  const sent = { model: 'claude-5', max_tokens: 9, messages };
  const usage = { input_tokens: 10, cache_read_input_tokens: 100, cache_creation_input_tokens: 7, output_tokens: 1 };
  const message = { type: 'message', id: 'm1', model: 'claude-5-1', stop_reason: 'tool_use', usage };
  const wanted = {
    [keys.ATTR_GEN_AI_OPERATION_NAME]: 'chat',
    [keys.ATTR_GEN_AI_PROVIDER_NAME]: 'anthropic',
    [keys.ATTR_GEN_AI_REQUEST_MODEL]: 'claude-5',
    [keys.ATTR_GEN_AI_RESPONSE_MODEL]: 'claude-5-1',
    [keys.ATTR_GEN_AI_RESPONSE_ID]: 'm1',
    [keys.ATTR_GEN_AI_RESPONSE_FINISH_REASONS]: ['tool_call'],
    [keys.ATTR_GEN_AI_USAGE_INPUT_TOKENS]: 117,
    [keys.ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS]: 100,
    [keys.ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS]: 7,
    [keys.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: 1,
  };
  const streamed = events(
    { type: 'message_start', message: { ...message, stop_reason: null } },
    { type: 'content_block_delta', delta: { type: 'text_delta', text: 'a' } },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 42 } },
  );
  const whole = { ...wanted, [keys.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: 42 };

  it('tells the model and what it used, cached tokens as a part of the input', () => {
    expect(toldOfModel({ path, sent, body: JSON.stringify(message) })).toEqual(wanted);
    expect(toldOfModel({ path, sent, body: streamed, headers: eventStream })).toEqual(whole);
  });

  it('is one of Vertex AI where its path names the model', () => {
    const vertex = '/v1/projects/p/locations/l/publishers/anthropic/models/claude-5@1:streamRawPredict';
    expect(toldOfModel({ path: vertex, body: streamed, headers: eventStream })).toEqual({
      ...whole,
      [keys.ATTR_GEN_AI_PROVIDER_NAME]: 'gcp.vertex_ai',
      [keys.ATTR_GEN_AI_REQUEST_MODEL]: 'claude-5@1',
      [keys.ATTR_GEN_AI_REQUEST_STREAM]: true,
    });
  });
});

describe('a call of Ollama or Cohere', () => {
  it('tells what Ollama answered, by lines or as one', () => {
    const last = { model: 'llama4', done: true, done_reason: 'stop', prompt_eval_count: 11, eval_count: 6 };
    const wanted = {
      [keys.ATTR_GEN_AI_OPERATION_NAME]: 'chat',
      [keys.ATTR_GEN_AI_PROVIDER_NAME]: 'ollama',
      [keys.ATTR_GEN_AI_RESPONSE_MODEL]: 'llama4',
      [keys.ATTR_GEN_AI_RESPONSE_FINISH_REASONS]: ['stop'],
      [keys.ATTR_GEN_AI_USAGE_INPUT_TOKENS]: 11,
      [keys.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: 6,
    };
    const call = { path: 'http://localhost:11434/api/chat', sent: { model: 'llama4', messages } };
    expect(toldOfModel({ ...call, body: JSON.stringify(last) })).toEqual(wanted);
    expect(toldOfModel({ ...call, body: lines({ model: 'llama4', done: false }, last) })).toEqual(wanted);
    const embedded = JSON.stringify({ model: 'e', embeddings: [[1]], prompt_eval_count: 4 });
    expect(toldOfModel({ path: 'http://box/api/embed', body: embedded })).toMatchObject({
      [keys.ATTR_GEN_AI_OPERATION_NAME]: 'embeddings',
      [keys.ATTR_GEN_AI_USAGE_INPUT_TOKENS]: 4,
    });
  });

  it('tells what Cohere answered, whole and by events', () => {
    const path = 'https://api.cohere.com/v2/chat';
    const ending = { finish_reason: 'COMPLETE', usage: { tokens: { input_tokens: 70, output_tokens: 5 } } };
    const wanted = {
      [keys.ATTR_GEN_AI_OPERATION_NAME]: 'chat',
      [keys.ATTR_GEN_AI_PROVIDER_NAME]: 'cohere',
      [keys.ATTR_GEN_AI_REQUEST_MODEL]: 'command-b',
      [keys.ATTR_GEN_AI_RESPONSE_ID]: 'h1',
      [keys.ATTR_GEN_AI_RESPONSE_FINISH_REASONS]: ['stop'],
      [keys.ATTR_GEN_AI_USAGE_INPUT_TOKENS]: 70,
      [keys.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: 5,
    };
    const sent = { model: 'command-b', messages };
    expect(toldOfModel({ path, sent, body: JSON.stringify({ id: 'h1', ...ending }) })).toEqual(wanted);
    const body = events({ type: 'message-start', id: 'h1' }, { type: 'message-end', delta: ending });
    expect(toldOfModel({ path, sent, body, headers: eventStream })).toEqual(wanted);
    const { [keys.ATTR_GEN_AI_REQUEST_MODEL]: _asked, ...answered } = wanted;
    expect(toldOfModel({ path: 'http://proxy/v2/chat', sent, body, headers: eventStream })).toEqual(answered);
  });
});

describe('a request of an agent to a service of its own', () => {
  it.each([
    ['/api/chat', { model: 'x', messages }, '{"messages":[]}'],
    ['/api/generate', { model: 'x', prompt: 'a page' }, '{"done":"yes"}'],
    ['/v2/chat', { model: 'x', messages }, '{"id":"1"}'],
    ['/responses', { survey: 7 }, '{"saved":true}'],
    ['/inbox/messages', { messages, to: 'x' }, '{"type":"receipt","id":"1"}'],
    ['/chat/completions', 'no JSON', '{"choices":"none"}'],
    ['/embeddings', { input: 'a' }, '{"vectors":[]}'],
  ])('tells of no model: %s', (path, sent, body) => {
    expect(toldOfModel({ path, sent, body })).toEqual({});
  });
});
