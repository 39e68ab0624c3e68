import { context, TraceFlags, trace } from '@opentelemetry/api';
import { errorFacts } from '@reenact/instrumentation/testing';
import {
  ATTR_GEN_AI_EMBEDDINGS_DIMENSION_COUNT,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_OUTPUT_TYPE,
  ATTR_GEN_AI_REQUEST_SEED,
  ATTR_GEN_AI_REQUEST_TEMPERATURE,
  ATTR_GEN_AI_RESPONSE_FINISH_REASONS,
  ATTR_GEN_AI_RESPONSE_STATUS,
  ATTR_GEN_AI_SYSTEM_INSTRUCTIONS,
} from '@reenact/semconv/gen-ai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patchOpenAI } from './testdata/client-suite.ts';
import { type MockEnds, recordThenServeMock } from './testdata/mock-suite.ts';

let undo: () => void;
beforeAll(() => {
  undo = patchOpenAI();
});
afterAll(() => undo());

function expectSame({ recorded, replayed, requests, player }: MockEnds, sent: number): void {
  expect(recorded.error).toBeUndefined();
  expect(replayed).toEqual(recorded);
  expect(requests).toEqual({ recording: sent, total: sent });
  expect(player.refusals).toEqual([]);
}

const hello = [{ role: 'user' as const, content: 'hello' }];

/** Runs `act` under one span, as an agent's own instrumentation would. */
function inOneRun<Result>(act: () => Result): Result {
  const root = {
    traceId: '5b8aa5a2d2c872e8321cf37308d69df2',
    spanId: '051581bf3cb55c13',
    traceFlags: TraceFlags.SAMPLED,
  };
  return context.with(trace.setSpanContext(context.active(), root), act);
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

describe('chat completions', () => {
  it('answer in one piece', async () => {
    const ends = await recordThenServeMock(
      (mock) => mock.onMessage('hello', { content: 'Hi there!' }),
      (client) => client.chat.completions.create({ model: 'gpt-4o', messages: hello, temperature: 0, seed: 7 }),
    );
    expectSame(ends, 1);
    expect(ends.calls.only).toMatchObject({
      spanName: 'chat gpt-4o',
      boundary: { kind: 'model', name: 'openai.chat', sdk: 'openai@7.59.0' },
      slim: {
        [ATTR_GEN_AI_REQUEST_SEED]: 7,
        [ATTR_GEN_AI_REQUEST_TEMPERATURE]: 0,
        [ATTR_GEN_AI_RESPONSE_FINISH_REASONS]: ['stop'],
      },
    });
  });

  it('stream chunk by chunk', async () => {
    const ends = await recordThenServeMock(
      (mock) => mock.onMessage('hello', { content: 'Hi there, in several pieces!' }),
      async (client) => all(await client.chat.completions.create({ model: 'gpt-4o', messages: hello, stream: true })),
    );
    expectSame(ends, 1);
    expect((ends.recorded.value as unknown[]).length).toBeGreaterThan(3);
    expect(ends.calls.only.content[ATTR_GEN_AI_OUTPUT_MESSAGES]).toContain('Hi there, in several pieces!');
  });

  it('stream through the helper, with its events and its final objects', async () => {
    const ends = await recordThenServeMock(
      (mock) => mock.onMessage('hello', { content: 'Hi there!' }),
      async (client) => {
        const events: string[] = [];
        const stream = client.chat.completions.stream({ model: 'gpt-4o', messages: hello });
        stream.on('content', (delta, snapshot) => events.push(`${delta}|${snapshot}`));
        stream.on('chunk', () => events.push('chunk'));
        const completion = await stream.finalChatCompletion();
        return { events, completion, content: await stream.finalContent(), usage: await stream.totalUsage() };
      },
    );
    expectSame(ends, 1);
  });
});

describe('chat helpers', () => {
  it('run tools to the end, each turn a crossing of its own', async () => {
    const called: unknown[] = [];
    const ends = await recordThenServeMock(
      (mock) => {
        const toolCalls = [{ id: 'call_1', name: 'get_quote', arguments: '{"symbol":"ACME"}' }];
        mock.on({ userMessage: 'price', hasToolResult: false }, { toolCalls });
        mock.on({ userMessage: 'price', hasToolResult: true }, { content: 'ACME stands at 42.' });
      },
      async (client) => {
        const get_quote = {
          type: 'function' as const,
          function: {
            name: 'get_quote',
            description: 'Price of a share',
            parameters: { type: 'object', properties: { symbol: { type: 'string' } } },
            parse: JSON.parse,
            function: (input: object) => called.push(input) && '42',
          },
        };
        const messages = [{ role: 'user' as const, content: 'What is the price of ACME?' }];
        const runner = client.chat.completions.runTools({ model: 'gpt-4o', messages, tools: [get_quote] });
        return { content: await runner.finalContent(), messages: runner.messages };
      },
      2,
    );
    expectSame(ends, 2);
    expect(called).toEqual([{ symbol: 'ACME' }, { symbol: 'ACME' }]);
    expect(ends.calls.facts.map(({ slim }) => slim[ATTR_GEN_AI_RESPONSE_FINISH_REASONS])).toEqual([
      ['tool_call'],
      ['stop'],
    ]);
  });

  it('parse structured output', async () => {
    const schema = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] };
    const ends = await recordThenServeMock(
      (mock) => mock.onMessage('hello', { content: '{"answer":42}' }),
      (client) =>
        client.chat.completions.parse({
          model: 'gpt-4o',
          messages: hello,
          response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
        }),
    );
    expectSame(ends, 1);
    expect(ends.calls.only.slim[ATTR_GEN_AI_OUTPUT_TYPE]).toBe('json');
  });
});

describe('parallel calls', () => {
  it('get each their own answer, whatever the order in which they end', async () => {
    const ask = (client: OpenAI, content: string): Promise<unknown> =>
      client.chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'user', content }] });
    const ends = await recordThenServeMock(
      (mock) => {
        mock.onMessage('one', { content: 'slow' }, { chaos: { latencyMs: 60 } });
        mock.onMessage('two', { content: 'fast' });
      },
      (client) => inOneRun(() => Promise.all([ask(client, 'one'), ask(client, 'two')])),
      2,
    );
    expectSame(ends, 2);
    // Told in the order in which they settled.
    expect(ends.calls.facts.map(({ order, settled }) => [order, settled])).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });
});

describe('responses', () => {
  it('answer in one piece', async () => {
    const ends = await recordThenServeMock(
      (mock) => mock.onMessage('hello', { content: 'Hi there!' }),
      async (client) => {
        const response = await client.responses.create({ model: 'gpt-4o', input: 'hello', instructions: 'Be short.' });
        return { response, text: response.output_text, requestId: Reflect.get(response, '_request_id') };
      },
    );
    expectSame(ends, 1);
    expect(ends.calls.only).toMatchObject({
      spanName: 'chat gpt-4o',
      boundary: { kind: 'model', name: 'openai.responses' },
      slim: { 'openai.api.type': 'responses', [ATTR_GEN_AI_RESPONSE_STATUS]: 'completed' },
      content: { [ATTR_GEN_AI_SYSTEM_INSTRUCTIONS]: '[{"type":"text","content":"Be short."}]' },
    });
  });

  it('stream through the helper', async () => {
    const ends = await recordThenServeMock(
      (mock) => mock.onMessage('hello', { content: 'Hi there!' }),
      async (client) => {
        const stream = client.responses.stream({ model: 'gpt-4o', input: 'hello' });
        const events = await all(stream);
        return { events, final: await stream.finalResponse() };
      },
    );
    expectSame(ends, 1);
    expect(ends.calls.only.content[ATTR_GEN_AI_OUTPUT_MESSAGES]).toContain('Hi there!');
    expect(ends.calls.only.outcome.type).toBe('ended');
  });

  it('call tools', async () => {
    const toolCalls = [{ id: 'call_7', name: 'place_order', arguments: '{"shares":1000}' }];
    const ends = await recordThenServeMock(
      (mock) => mock.onMessage('sell', { toolCalls }),
      async (client) => all(await client.responses.create({ model: 'gpt-4o', input: 'sell $1,000', stream: true })),
    );
    expectSame(ends, 1);
    expect(ends.calls.only.slim[ATTR_GEN_AI_RESPONSE_FINISH_REASONS]).toEqual(['tool_call']);
    expect(JSON.parse(String(ends.calls.only.content[ATTR_GEN_AI_OUTPUT_MESSAGES]))).toMatchObject([
      {
        role: 'assistant',
        parts: [{ type: 'tool_call', id: 'call_7', name: 'place_order', arguments: { shares: 1000 } }],
      },
    ]);
  });
});

describe('other calls', () => {
  it('embed', async () => {
    const ends = await recordThenServeMock(
      (mock) => mock.onEmbedding('hello', { embedding: [0.25, -0.5, 1] }),
      (client) => client.embeddings.create({ model: 'text-embedding-3-small', input: 'hello', dimensions: 3 }),
    );
    expectSame(ends, 1);
    expect(ends.calls.only).toMatchObject({
      spanName: 'embeddings text-embedding-3-small',
      boundary: { kind: 'embedding', name: 'openai.embeddings' },
      slim: { [ATTR_GEN_AI_OPERATION_NAME]: 'embeddings', [ATTR_GEN_AI_EMBEDDINGS_DIMENSION_COUNT]: 3 },
    });
  });

  it('list models, a page that can be iterated', async () => {
    const ends = await recordThenServeMock(
      (mock) => mock.onMessage('hello', { content: 'x' }),
      async (client) => all(await client.models.list()),
    );
    // The provider's journal does not count this endpoint.
    expectSame(ends, 0);
    expect(ends.recorded.value).not.toEqual([]);
    expect(ends.calls.only.boundary).toMatchObject({ kind: 'http', effect: 'read' });
  });

  it('fail as the provider made them fail', async () => {
    const ends = await recordThenServeMock(
      (mock) => mock.nextRequestError(422, { message: 'no such thing', type: 'invalid_request_error', code: 'nope' }),
      (client) => client.chat.completions.create({ model: 'gpt-4o', messages: hello }),
    );
    expect(ends.recorded.error).toBeInstanceOf(OpenAI.UnprocessableEntityError);
    expect(errorFacts(ends.replayed.error)).toEqual(errorFacts(ends.recorded.error));
    expect(ends.requests.total).toBe(1);
  });

  it('break in the middle as the provider broke off', async () => {
    const ends = await recordThenServeMock(
      (mock) => mock.onMessage('hello', { content: 'x' }, { chaos: { disconnectRate: 1 } }),
      (client) => client.chat.completions.create({ model: 'gpt-4o', messages: hello }, { maxRetries: 0 }),
    );
    expect(ends.recorded.error).toBeInstanceOf(Error);
    expect(errorFacts(ends.replayed.error)).toEqual(errorFacts(ends.recorded.error));
  });
});
