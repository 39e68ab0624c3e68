import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { type BothEnds, errorFacts, recordThenServe } from '@reenact/instrumentation/testing';
import { ATTR_GEN_AI_OUTPUT_MESSAGES } from '@reenact/semconv/gen-ai';
import { APICallError } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalModel, type LocalScript, textParts } from './testdata/local-model.ts';
import { allOf } from './testdata/mock-suite.ts';
import { ai, setUpSdk } from './testdata/sdk-suite.ts';

let undo: () => void;
beforeAll(() => {
  undo = setUpSdk();
});
afterAll(() => undo());

/** Records and serves an act over a model that is no provider on the wire. */
async function overLocal(
  script: LocalScript,
  act: (model: LocalModel) => unknown,
  count = 1,
): Promise<BothEnds & { model: LocalModel }> {
  const model = new LocalModel(script);
  const both = await recordThenServe(
    () => undefined,
    () => act(model),
    count,
  );
  return { ...both, model };
}

const streamOf = (parts: LanguageModelV4StreamPart[]): ReadableStream<LanguageModelV4StreamPart> =>
  ReadableStream.from(parts);

describe('a provider without fetch', () => {
  it('is recorded by what its method gave, and does not run in a replay', async () => {
    const both = await overLocal({}, async (model) => {
      const { text, usage, response } = await ai.generateText({ model, prompt: 'Sell.' });
      return { text, usage, response: { id: response.id, timestamp: response.timestamp } };
    });
    expect(both.recorded.value).toMatchObject({ text: 'Sold.', response: { timestamp: new Date(1_700_000_000_000) } });
    expect(both.replayed).toEqual(both.recorded);
    expect(both.model.calls).toBe(1);
    expect(both.crossings[0]).toMatchObject({ name: 'local.chat', call: 'promise', exchanges: [], lossy: [] });
  });

  it('streams the same parts with what came beside them', async () => {
    const both = await overLocal({}, async (model) => {
      const result = await ai.wrapLanguageModel({ model, middleware: {} }).doStream({ prompt: [] });
      const { stream, ...head } = result;
      return { head, parts: await allOf(stream) };
    });
    expect(both.recorded.value).toEqual({
      head: { request: { body: { local: true } }, response: { headers: { 'x-local': 'yes' } } },
      parts: textParts(['So', 'ld.']),
    });
    expect(both.replayed).toEqual(both.recorded);
    expect(both.model.calls).toBe(1);
    expect(both.calls.only.content[ATTR_GEN_AI_OUTPUT_MESSAGES]).toContain('Sold.');
  });
});

describe('what a provider without fetch throws', () => {
  it('is thrown again so that the SDK knows them, and tries again as then', async () => {
    let calls = 0;
    const overloaded = (): unknown => {
      calls += 1;
      if (calls > 1) return 'Sold.';
      const responseHeaders = { 'retry-after-ms': '1' };
      throw new APICallError({
        message: 'busy',
        url: 'local:',
        requestBodyValues: {},
        statusCode: 503,
        responseHeaders,
      });
    };
    const both = await overLocal(
      { generate: overloaded },
      async (model) => (await ai.generateText({ model, prompt: 'Sell.' })).text,
      2,
    );
    expect(both.recorded.value).toBe('Sold.');
    expect(both.replayed).toEqual(both.recorded);
    expect(both.model.calls).toBe(2);
  });

  it('fails in the middle of a stream with the same error after the same parts', async () => {
    const failing = (): ReadableStream<LanguageModelV4StreamPart> => {
      const parts = textParts(['So']).slice(0, 3);
      return new ReadableStream({
        pull(controller) {
          const part = parts.shift();
          if (part !== undefined) controller.enqueue(part);
          else controller.error(new APICallError({ message: 'cut', url: 'local:', requestBodyValues: {} }));
        },
      });
    };
    const both = await overLocal({ stream: failing }, async (model) => {
      const { stream } = await ai.wrapLanguageModel({ model, middleware: {} }).doStream({ prompt: [] });
      const seen: unknown[] = [];
      try {
        for await (const part of stream) seen.push(part);
      } catch (error) {
        return { seen, error: errorFacts(error), isKnown: APICallError.isInstance(error) };
      }
      return seen;
    });
    expect(both.recorded.value).toMatchObject({ isKnown: true, seen: [{}, {}, { delta: 'So' }] });
    expect(both.replayed).toEqual(both.recorded);
  });
});

describe('a stream that is recorded', () => {
  it('is not read ahead of its reader, and a cancel reaches the source', async () => {
    const pulled: string[] = [];
    let cancelled: unknown;
    const source = (): ReadableStream<LanguageModelV4StreamPart> =>
      new ReadableStream(
        {
          pull(controller) {
            pulled.push('part');
            controller.enqueue({ type: 'text-delta', id: '1', delta: 'x' });
          },
          cancel(reason) {
            cancelled = reason;
          },
        },
        { highWaterMark: 0 },
      );
    const both = await overLocal({ stream: source }, async (model) => {
      const { stream } = await ai.wrapLanguageModel({ model, middleware: {} }).doStream({ prompt: [] });
      const reader = stream.getReader();
      const { value } = await reader.read();
      await reader.cancel('enough');
      return { value };
    });
    expect(both.recorded.value).toEqual({ value: { type: 'text-delta', id: '1', delta: 'x' } });
    expect(both.replayed).toEqual(both.recorded);
    expect({ pulled, cancelled }).toEqual({ pulled: ['part'], cancelled: 'enough' });
    expect(both.crossings[0]?.outcome).toMatchObject({ type: 'aborted' });
  });

  it('that was aborted stays open until it is aborted again', async () => {
    const both = await overLocal(
      {
        stream: (signal) =>
          new ReadableStream({
            start(controller) {
              controller.enqueue({ type: 'text-start', id: '1' });
              signal?.addEventListener('abort', () => controller.error(signal.reason));
            },
          }),
      },
      async (model) => {
        const controller = new AbortController();
        const wrapped = ai.wrapLanguageModel({ model, middleware: {} });
        const { stream } = await wrapped.doStream({ prompt: [], abortSignal: controller.signal });
        const reader = stream.getReader();
        const first = await reader.read();
        const next = reader.read();
        controller.abort(new RangeError('stop'));
        return { first, error: errorFacts(await next.catch((error: unknown) => error)) };
      },
    );
    expect(both.replayed).toEqual(both.recorded);
    expect(both.crossings[0]?.outcome.type).toBe('aborted');
    expect(both.model.calls).toBe(1);
  });

  it('asked for in one piece in the replay is refused, not made up', async () => {
    let asksForStream = true;
    const both = await overLocal({ stream: () => streamOf(textParts(['So'])) }, async (model) => {
      const wrapped = ai.wrapLanguageModel({ model, middleware: {} });
      if (!asksForStream) return wrapped.doGenerate({ prompt: [] });
      asksForStream = false;
      return allOf((await wrapped.doStream({ prompt: [] })).stream);
    });
    expect(both.replayed.error).toMatchObject({ code: 'replay-refused' });
    expect(both.player.changed).toEqual(['local.chat']);
    expect(both.model.calls).toBe(1);
  });
});
