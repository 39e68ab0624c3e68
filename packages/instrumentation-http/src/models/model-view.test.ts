import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { gate } from '@reenact/instrumentation';
import { RecordedCalls } from '@reenact/instrumentation/testing';
import { ATTR_HTTP_RESPONSE_STATUS_CODE } from '@reenact/semconv/core';
import * as keys from '@reenact/semconv/gen-ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patchHttp, recordAct } from '../testdata/http-suite.ts';
import { ScriptedServer } from '../testdata/scripted-server.ts';
import { toldOfModel as told } from '../testdata/told-of-model.ts';

/** One message of an event stream: a header of a type that is not text first, checksums left empty. */
function event(type: string, payload: unknown): Buffer {
  const text = (value: string): Buffer => Buffer.from(value, 'utf8');
  const counted = (value: Buffer): Buffer =>
    Buffer.concat([Buffer.from([value.length >> 8, value.length & 255]), value]);
  const headers = Buffer.concat([
    Buffer.from([2]),
    text(':a'),
    Buffer.from([4, 0, 0, 0, 7]),
    Buffer.from([11]),
    text(':event-type'),
    Buffer.from([7]),
    counted(text(type)),
  ]);
  const body = text(JSON.stringify(payload));
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + headers.length + body.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  return Buffer.concat([prelude, headers, body, Buffer.alloc(4)]);
}

const gemini = (usage: object, more: object = {}): string =>
  JSON.stringify({ modelVersion: 'gemini-3-flash-001', responseId: 'r1', usageMetadata: usage, ...more });

const geminiUsage = {
  promptTokenCount: 20,
  toolUsePromptTokenCount: 3,
  cachedContentTokenCount: 8,
  candidatesTokenCount: 10,
  thoughtsTokenCount: 5,
};

const geminiTold = {
  [keys.ATTR_GEN_AI_OPERATION_NAME]: 'generate_content',
  [keys.ATTR_GEN_AI_PROVIDER_NAME]: 'gcp.gemini',
  [keys.ATTR_GEN_AI_REQUEST_MODEL]: 'gemini-3-flash',
  [keys.ATTR_GEN_AI_RESPONSE_MODEL]: 'gemini-3-flash-001',
  [keys.ATTR_GEN_AI_RESPONSE_ID]: 'r1',
  [keys.ATTR_GEN_AI_RESPONSE_FINISH_REASONS]: ['stop'],
  [keys.ATTR_GEN_AI_USAGE_INPUT_TOKENS]: 23,
  [keys.ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS]: 8,
  [keys.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: 15,
  [keys.ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS]: 5,
};

describe('a call of Gemini over plain HTTP', () => {
  const path = '/v1beta/models/gemini-3-flash:generateContent';
  const streamed = '/v1beta/models/gemini-3-flash:streamGenerateContent?alt=sse';
  const last = gemini(geminiUsage, { candidates: [{ finishReason: 'STOP' }] });
  const first = gemini({ promptTokenCount: 20, candidatesTokenCount: 2 }, { candidates: [{}] });

  it('tells the model and what it used', () => {
    expect(told({ path, body: last })).toEqual(geminiTold);
    const packed = { 'content-encoding': 'gzip', 'content-type': 'application/json' };
    expect(told({ path, body: gzipSync(last), headers: packed })).toEqual(geminiTold);
  });

  it('tells it of a stream by its last part, sent as events or as one list', () => {
    const events = `data: ${first}\r\n\r\ndata: ${last}\r\n\r\n`;
    const wanted = { ...geminiTold, [keys.ATTR_GEN_AI_REQUEST_STREAM]: true };
    expect(told({ path: streamed, body: events, headers: { 'content-type': 'text/event-stream' } })).toEqual(wanted);
    expect(told({ path: streamed, body: `[${first},\n${last}]` })).toEqual(wanted);
  });

  it('is one of Vertex AI by its address, and of embeddings by its method', () => {
    const vertex = '/v1/projects/p/locations/us-central1/publishers/google/models/gemini-3-pro:generateContent';
    expect(told({ path: vertex, body: last })).toMatchObject({
      [keys.ATTR_GEN_AI_PROVIDER_NAME]: 'gcp.vertex_ai',
      [keys.ATTR_GEN_AI_REQUEST_MODEL]: 'gemini-3-pro',
    });
    expect(told({ path: '/v1beta/models/embed-1:embedContent', body: '{"embedding":{}}' })).toEqual({
      [keys.ATTR_GEN_AI_OPERATION_NAME]: 'embeddings',
      [keys.ATTR_GEN_AI_PROVIDER_NAME]: 'gcp.gemini',
      [keys.ATTR_GEN_AI_REQUEST_MODEL]: 'embed-1',
    });
  });
});

describe('a call of Bedrock over plain HTTP', () => {
  const eventStream = { 'content-type': 'application/vnd.amazon.eventstream' };
  const usage = { inputTokens: 30, outputTokens: 12, totalTokens: 142, cacheReadInputTokens: 100 };
  const conversed = {
    [keys.ATTR_GEN_AI_OPERATION_NAME]: 'chat',
    [keys.ATTR_GEN_AI_PROVIDER_NAME]: 'aws.bedrock',
    [keys.ATTR_GEN_AI_REQUEST_MODEL]: 'us.anthropic.claude:0',
    [keys.ATTR_GEN_AI_RESPONSE_FINISH_REASONS]: ['stop'],
    [keys.ATTR_GEN_AI_USAGE_INPUT_TOKENS]: 130,
    [keys.ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS]: 100,
    [keys.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: 12,
  };

  it('tells what Converse used, cached tokens as a part of the input, whole and streamed', () => {
    const path = '/model/us.anthropic.claude%3A0/converse';
    expect(told({ path, body: JSON.stringify({ stopReason: 'end_turn', usage }) })).toEqual(conversed);
    const inside = { ...usage, totalTokens: 42 };
    expect(told({ path, body: JSON.stringify({ usage: inside }) })).toMatchObject({
      [keys.ATTR_GEN_AI_USAGE_INPUT_TOKENS]: 30,
    });
    const body = Buffer.concat([event('messageStop', { stopReason: 'end_turn' }), event('metadata', { usage })]);
    const wanted = { ...conversed, [keys.ATTR_GEN_AI_REQUEST_STREAM]: true };
    expect(told({ path: `${path}-stream`, body, headers: eventStream })).toEqual(wanted);
    const cut = Buffer.concat([body, event('metadata', { usage: {} }).subarray(0, 20)]);
    expect(told({ path: `${path}-stream`, body: cut, headers: eventStream })).toEqual(wanted);
  });

  it('tells what Bedrock says beside the answer of InvokeModel, in headers and behind the last part of a stream', () => {
    const counts = { 'X-Amzn-Bedrock-Input-Token-Count': '44', 'x-amzn-bedrock-output-token-count': '7' };
    expect(told({ path: '/model/meta.llama/invoke', body: '{"generation":"hi"}', headers: counts })).toMatchObject({
      [keys.ATTR_GEN_AI_REQUEST_MODEL]: 'meta.llama',
      [keys.ATTR_GEN_AI_USAGE_INPUT_TOKENS]: 44,
      [keys.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: 7,
    });
    const metrics = { 'amazon-bedrock-invocationMetrics': { inputTokenCount: 9, outputTokenCount: 4 } };
    const parts = [{ type: 'message_start' }, metrics].map((part) =>
      event('chunk', { bytes: Buffer.from(JSON.stringify(part)).toString('base64') }),
    );
    const streamed = { path: '/model/meta.llama/invoke-with-response-stream', headers: eventStream };
    expect(told({ ...streamed, body: Buffer.concat(parts) })).toMatchObject({
      [keys.ATTR_GEN_AI_USAGE_INPUT_TOKENS]: 9,
      [keys.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: 4,
    });
  });
});

describe('a request', () => {
  it('to anything else tells of no model', () => {
    for (const path of ['/models/gemini', '/a/model/x/converse', '/model/x/describe', '/v1/models/x:countTokens'])
      expect(told({ path, body: gemini(geminiUsage) })).toEqual({});
  });

  it('to a model tells which it was where the answer cannot be read', () => {
    const named = { [keys.ATTR_GEN_AI_OPERATION_NAME]: 'generate_content', [keys.ATTR_GEN_AI_REQUEST_MODEL]: 'm' };
    const path = '/v1/models/m:generateContent';
    for (const body of ['', 'overloaded', '[null,7]', '{"usageMetadata":"none"}'])
      expect(told({ path, body })).toMatchObject(named);
    expect(told({ path, body: 'no gzip', headers: { 'content-encoding': 'gzip' } })).toMatchObject(named);
  });
});

describe('the crossing of such a request', () => {
  let undo: () => void;
  beforeAll(() => {
    undo = patchHttp();
  });
  afterAll(() => undo());

  type Send = (url: string, body: string) => Promise<unknown>;
  const packed = (text: string) =>
    ScriptedServer.start((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(gzipSync(text));
    });

  describe.each<[string, Send]>([
    ['fetch', async (url, body) => (await fetch(url, { method: 'POST', body })).text()],
    ['fetch of a Request', async (url, body) => (await fetch(new Request(url, { method: 'POST', body }))).text()],
    [
      'node:http',
      (url, body) =>
        new Promise((resolve) => {
          request(url, { method: 'POST' }, (response) => resolve(buffer(response))).end(body);
        }),
    ],
  ])('by %s', (_name, send) => {
    it('stays one of HTTP, and has the tokens', async () => {
      const server = await packed(gemini(geminiUsage, { candidates: [{ finishReason: 'STOP' }] }));
      const { calls } = await recordAct(() => send(`${server.url}/v1beta/models/gemini-3-flash:generateContent`, '{}'));
      await server.stop();
      expect(calls.only.boundary.kind).toBe('http');
      expect(calls.only.slim).toMatchObject({ ...geminiTold, [ATTR_HTTP_RESPONSE_STATUS_CODE]: 200 });
    });

    it('has the model that its body names', async () => {
      const server = await packed('{"choices":[{"finish_reason":"stop"}],"usage":{"prompt_tokens":7}}');
      const { calls } = await recordAct(() => send(`${server.url}/v1/chat/completions`, '{"model":"m","messages":[]}'));
      await server.stop();
      expect(calls.only.boundary.kind).toBe('http');
      expect(calls.only.slim).toMatchObject({
        [keys.ATTR_GEN_AI_REQUEST_MODEL]: 'm',
        [keys.ATTR_GEN_AI_USAGE_INPUT_TOKENS]: 7,
      });
    });
  });

  it('has what came of an answer that is still open where its process ends', async () => {
    const line = { model: 'llama4', done: true, prompt_eval_count: 11, eval_count: 6 };
    const server = await ScriptedServer.start((_request, response) => void response.write(`${JSON.stringify(line)}\n`));
    const detach = new RecordedCalls().attach();
    const { body } = await fetch(`${server.url}/api/chat`, { method: 'POST', body: '{}' });
    await body?.getReader().read();
    const [pending] = gate.pendingFacts();
    detach();
    await server.stop();
    expect(pending?.slim).toMatchObject({
      [keys.ATTR_GEN_AI_RESPONSE_MODEL]: 'llama4',
      [keys.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: 6,
    });
  });
});
