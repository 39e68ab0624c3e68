import type { LLMock } from '@copilotkit/aimock';
import { ATTR_GEN_AI_OUTPUT_MESSAGES, ATTR_GEN_AI_REQUEST_MODEL } from '@reenact/semconv/gen-ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { allOf, asRecorded, recordThenServeMock, reproduced } from './testdata/mock-suite.ts';
import { ai, setUpSdk } from './testdata/sdk-suite.ts';

let undo: () => void;
beforeAll(() => {
  undo = setUpSdk();
});
afterAll(() => undo());

const greets = (mock: LLMock): unknown => mock.onMessage('hello', { content: 'Hi there, trader!' });

/** Ids the SDK draws and times it takes: a whole replay serves them, this one has neither clock nor random numbers. */
const drawn = new Set(['callId', 'performance', 'timestamp']);

function undrawn(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, item: unknown) => (drawn.has(key) ? null : item)));
}

/** The members of a result that say everything an app can read of it. */
function readable(result: { steps: readonly unknown[]; text: string; usage: unknown; response: unknown }): unknown {
  const { text, usage, response, steps } = result;
  return undrawn({ text, usage, response, steps });
}

describe('generateText', () => {
  it.each(['chat', 'responses'] as const)(
    'over the %s API of OpenAI is one crossing with its exchange',
    async (api) => {
      const ends = await recordThenServeMock(greets, async ({ openai }) =>
        readable(await ai.generateText({ model: openai[api]('gpt-4o'), prompt: 'hello' })),
      );
      expect(reproduced(ends)).toEqual(asRecorded(ends));
      const { boundary, call, exchanges, slim, content } = ends.calls.only;
      expect(boundary).toMatchObject({ kind: 'model', name: `openai.${api}`, effect: 'read', sdk: 'ai@7.0.173' });
      expect({ call, exchanges: exchanges.length }).toEqual({ call: 'exchange', exchanges: 1 });
      expect(slim[ATTR_GEN_AI_REQUEST_MODEL]).toBe('gpt-4o');
      expect(content[ATTR_GEN_AI_OUTPUT_MESSAGES]).toContain('Hi there, trader!');
      expect(JSON.stringify(exchanges)).not.toContain('sk-secret-key');
    },
  );

  it('over the messages API of Anthropic, too', async () => {
    const ends = await recordThenServeMock(greets, async ({ anthropic }) =>
      readable(await ai.generateText({ model: anthropic('claude-sonnet-4-5'), prompt: 'hello' })),
    );
    expect(reproduced(ends)).toEqual(asRecorded(ends));
    expect(ends.calls.only.boundary.name).toBe('anthropic.messages');
  });

  it('gives structured output', async () => {
    const ends = await recordThenServeMock(
      (mock) => mock.onMessage('price', { content: '{"symbol":"ACME","price":190}' }),
      async ({ openai }) => {
        const output = ai.Output.object({ schema: z.object({ symbol: z.string(), price: z.number() }) });
        return (await ai.generateText({ model: openai.chat('gpt-4o'), prompt: 'price', output })).output;
      },
    );
    expect(ends.replayed.value).toEqual({ symbol: 'ACME', price: 190 });
    expect(reproduced(ends)).toEqual(asRecorded(ends));
  });
});

describe('streamText', () => {
  it('streams the same parts, one by one', async () => {
    const ends = await recordThenServeMock(greets, async ({ openai }) => {
      const result = ai.streamText({ model: openai.chat('gpt-4o'), prompt: 'hello' });
      return JSON.parse(JSON.stringify(await allOf(result.stream))) as { type: string }[];
    });
    const parts = ends.recorded.value as { type: string }[];
    expect(parts.filter(({ type }) => type === 'text-delta').length).toBeGreaterThan(2);
    expect(undrawn(ends.replayed.value)).toEqual(undrawn(parts));
    expect(ends.player).toMatchObject({ left: [], changed: [], refusals: [] });
    expect(ends.calls.only.outcome).toMatchObject({ type: 'ended', chunks: [] });
    expect(ends.calls.only.content[ATTR_GEN_AI_OUTPUT_MESSAGES]).toContain('Hi there, trader!');
  });

  it('through onChunk, smoothStream and a UI message stream response gives the same bytes', async () => {
    const ends = await recordThenServeMock(greets, async ({ anthropic }) => {
      const chunks: string[] = [];
      const result = ai.streamText({
        model: anthropic('claude-sonnet-4-5'),
        prompt: 'hello',
        experimental_transform: ai.smoothStream({ delayInMs: null }),
        onChunk: ({ chunk }) => {
          if (chunk.type === 'text-delta') chunks.push(chunk.text);
        },
      });
      const response = result.toUIMessageStreamResponse({ generateMessageId: () => 'message-1' });
      return { chunks, body: await response.text(), type: response.headers.get('content-type') };
    });
    expect(ends.recorded.value).toMatchObject({ type: 'text/event-stream' });
    expect(reproduced(ends)).toEqual(asRecorded(ends));
  });

  it('read twice gives the same both times', async () => {
    const ends = await recordThenServeMock(greets, async ({ openai }) => {
      const result = ai.streamText({ model: openai('gpt-4o'), prompt: 'hello' });
      const [first, second] = await Promise.all([allOf(result.textStream), allOf(result.textStream)]);
      return { first, second, text: await result.text };
    });
    expect(reproduced(ends)).toEqual(asRecorded(ends));
  });
});

describe('objects and embeddings', () => {
  const answers = (mock: LLMock): unknown => mock.onMessage('price', { content: '{"price":190}' });
  const schema = z.object({ price: z.number() });

  it('generateObject and streamObject', async () => {
    const ends = await recordThenServeMock(
      answers,
      async ({ openai }) => {
        const { object } = await ai.generateObject({ model: openai.chat('gpt-4o'), schema, prompt: 'price' });
        const streamed = ai.streamObject({ model: openai.chat('gpt-4o'), schema, prompt: 'price' });
        return { object, partial: await allOf(streamed.partialObjectStream), whole: await streamed.object };
      },
      2,
    );
    expect(ends.recorded.value).toMatchObject({ object: { price: 190 }, whole: { price: 190 } });
    expect(reproduced(ends)).toEqual(asRecorded(ends));
  });

  it('embed and embedMany', async () => {
    const ends = await recordThenServeMock(
      (mock) => {
        mock.onEmbedding('one', { embedding: [0.25, -0.5] });
        mock.onEmbedding(/two/, { embedding: [1, 0] });
      },
      async ({ openai }) => {
        const model = openai.embedding('text-embedding-3-small');
        const { embedding } = await ai.embed({ model, value: 'one' });
        const { embeddings } = await ai.embedMany({ model, values: ['two', 'two times'] });
        return { embedding, embeddings };
      },
      2,
    );
    expect(ends.recorded.value).toMatchObject({
      embeddings: [
        [1, 0],
        [1, 0],
      ],
    });
    expect(ends.calls.facts.map(({ boundary }) => boundary)).toMatchObject([
      { kind: 'embedding', name: 'openai.embedding' },
      { kind: 'embedding', name: 'openai.embedding' },
    ]);
    expect(reproduced(ends)).toEqual(asRecorded(ends));
  });
});
