import { createOpenAI } from '@ai-sdk/openai';
import { chunkEvent, completionJson, endOf, errorFacts, recordThenServe } from '@reenact/instrumentation/testing';
import { APICallError, LoadAPIKeyError, RetryError } from 'ai';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LocalModel } from './testdata/local-model.ts';
import { ai, setUpSdk } from './testdata/sdk-suite.ts';

let undo: () => void;
beforeAll(() => {
  undo = setUpSdk();
});
afterAll(() => undo());

const modelAt = (baseURL: string) => createOpenAI({ apiKey: 'sk-test', baseURL }).chat('gpt-4o');

describe('errors of a provider', () => {
  it('429 and then success: both attempts are crossings with an exchange each, and happen again', async () => {
    const both = await recordThenServe(
      (response, _, number) => {
        response.setHeader('content-type', 'application/json');
        response.setHeader('retry-after-ms', '1');
        response.statusCode = number === 0 ? 429 : 200;
        response.end(number === 0 ? '{"error":{"message":"slow down"}}' : completionJson('Sold.'));
      },
      async (baseURL) => (await ai.generateText({ model: modelAt(baseURL), prompt: 'Sell.' })).text,
      2,
    );
    expect(both.recorded.value).toBe('Sold.');
    expect(both.replayed).toEqual(both.recorded);
    expect(both.requests).toEqual({ recording: 2, total: 2 });
    expect(both.crossings.map(({ outcome }) => outcome.type)).toEqual(['threw', 'returned']);
    expect(both.crossings.map(({ exchanges }) => exchanges.map(({ response }) => response?.status))).toEqual([
      [429],
      [200],
    ]);
  });

  it('are thrown again as instances of their classes, with all they tell', async () => {
    const both = await recordThenServe(
      (response) => {
        response.statusCode = 400;
        response.setHeader('content-type', 'application/json');
        response.end('{"error":{"message":"no such model","type":"invalid_request_error","code":"model_not_found"}}');
      },
      (baseURL) => ai.generateText({ model: modelAt(baseURL), prompt: 'Sell.' }),
    );
    expect(APICallError.isInstance(both.replayed.error)).toBe(true);
    expect(both.replayed.error).toBeInstanceOf(APICallError);
    expect(errorFacts(both.replayed.error)).toEqual(errorFacts(both.recorded.error));
    expect(both.requests.total).toBe(1);
  });

  it('have no line of ours between the provider and who called the model, recorded and replayed', async () => {
    const both = await recordThenServe(
      (response) => {
        response.statusCode = 400;
        response.end('refused');
      },
      (baseURL) => ai.generateText({ model: modelAt(baseURL), prompt: 'Sell.' }),
    );
    for (const { error } of [both.recorded, both.replayed]) {
      expect((error as Error).stack).toMatch(/doGenerate[\s\S]*node_modules\/ai\//);
      expect((error as Error).stack).not.toContain('instrumentation-ai-sdk/src/model-call');
    }
  });
});

describe('errors of a provider, beyond one answer', () => {
  it('all retries in vain end as the same RetryError', async () => {
    const both = await recordThenServe(
      (response) => {
        response.statusCode = 500;
        response.setHeader('retry-after-ms', '1');
        response.end('broken');
      },
      (baseURL) => ai.generateText({ model: modelAt(baseURL), prompt: 'Sell.', maxRetries: 1 }),
      2,
    );
    expect(both.replayed.error).toBeInstanceOf(RetryError);
    expect((both.replayed.error as RetryError).errors.map((error) => APICallError.isInstance(error))).toEqual([
      true,
      true,
    ]);
    expect((both.replayed.error as Error).message).toBe((both.recorded.error as Error).message);
    expect(both.requests.total).toBe(2);
  });

  it('a connection that breaks in the middle of a stream breaks after the same chunks', async () => {
    const both = await recordThenServe(
      (response) => {
        response.setHeader('content-type', 'text/event-stream');
        response.write(chunkEvent('Half '));
        response.write(chunkEvent('way'), () => response.destroy());
      },
      async (baseURL) => {
        const result = ai.streamText({ model: modelAt(baseURL), prompt: 'Sell.', onError: () => undefined });
        const texts: string[] = [];
        const { error } = await endOf(async () => {
          for await (const text of result.textStream) texts.push(text);
        });
        return { texts, error: errorFacts(error) };
      },
    );
    expect(both.recorded.value).toMatchObject({
      texts: ['Half ', 'way'],
      error: { class: APICallError, message: 'Failed to process successful response' },
    });
    expect(both.replayed).toEqual(both.recorded);
    expect(both.crossings[0]?.outcome.type).toBe('failed');
    expect(both.requests.total).toBe(1);
  });
});

/** As a provider has it that npm gave a copy of the SDK's classes of its own: nobody else knows this one. */
class OwnCallError extends Error {
  override readonly name = 'AI_APICallError';
}

/** Asks by the global fetch, and fails in its own words. */
const modelOfOwnErrors = (address: string) =>
  new LocalModel({
    generate: async () => {
      const { status } = await fetch(address);
      throw new OwnCallError(`status ${status}`);
    },
    stream: () => {
      const asked = fetch(address);
      const pull = async (): Promise<void> => {
        await (await asked).text();
        throw new OwnCallError('no end');
      };
      return new ReadableStream({ pull });
    },
  });

describe('errors of a class that only the provider knows', () => {
  it('are made again by the provider, so that nothing of the call is lost', async () => {
    const both = await recordThenServe(
      (response) => {
        response.statusCode = 400;
        response.end();
      },
      (baseURL) => ai.generateText({ model: modelOfOwnErrors(baseURL), prompt: 'Sell.' }),
    );
    expect(both.crossings.map(({ outcome, lossy }) => [outcome.type, lossy])).toEqual([['threw', []]]);
    expect(both.replayed.error).toBeInstanceOf(OwnCallError);
    expect(errorFacts(both.replayed.error)).toEqual(errorFacts(both.recorded.error));
  });

  it('are made again in the middle of a stream', async () => {
    const both = await recordThenServe(
      (response) => response.end('half'),
      (baseURL) => {
        const { fullStream } = ai.streamText({
          model: modelOfOwnErrors(baseURL),
          prompt: '',
          onError: () => undefined,
        });
        return endOf(async () => {
          for await (const _ of fullStream);
        });
      },
    );
    expect(both.crossings.map(({ outcome, lossy }) => [outcome.type, lossy])).toEqual([['failed', []]]);
    expect(both.replayed).toEqual(both.recorded);
    expect(both.replayed.value).toMatchObject({ error: expect.any(OwnCallError) });
  });

  it('are marked where no request of the provider was seen, and a replay serves what it threw', async () => {
    const model = new LocalModel({ generate: () => Promise.reject(new OwnCallError('no more')) });
    const both = await recordThenServe(
      () => undefined,
      () => ai.generateText({ model, prompt: 'Sell.' }),
    );
    expect(both.crossings[0]?.lossy).toEqual(['/error error-class OwnCallError']);
    expect(both.replayed.error).not.toBeInstanceOf(OwnCallError);
  });
});

describe('an abort', () => {
  it('of a call that waits is waited for again', async () => {
    const both = await recordThenServe(
      () => undefined,
      (baseURL) => ai.generateText({ model: modelAt(baseURL), prompt: 'Sell.', abortSignal: AbortSignal.timeout(250) }),
    );
    expect(both.crossings[0]?.outcome.type).toBe('aborted');
    expect((both.recorded.error as Error).name).toBe('TimeoutError');
    expect(errorFacts(both.replayed.error)).toEqual(errorFacts(both.recorded.error));
    expect(both.requests.total).toBe(1);
  });

  it('in the middle of a stream ends it there again', async () => {
    const both = await recordThenServe(
      (response) => {
        response.setHeader('content-type', 'text/event-stream');
        response.write(chunkEvent('Half '));
      },
      async (baseURL) => {
        const controller = new AbortController();
        const result = ai.streamText({ model: modelAt(baseURL), prompt: 'Sell.', abortSignal: controller.signal });
        const types: string[] = [];
        for await (const part of result.stream) {
          types.push(part.type);
          if (part.type === 'text-delta') controller.abort();
        }
        return types;
      },
    );
    expect(both.recorded.value).toContain('abort');
    expect(both.replayed).toEqual(both.recorded);
    expect(both.crossings[0]?.outcome.type).toBe('aborted');
    expect(both.requests.total).toBe(1);
  });
});

describe('what cannot be served', () => {
  it('a request more than was recorded fails the call with the error of the replay, and is not sent', async () => {
    let isReplay = false;
    const both = await recordThenServe(
      (response) => {
        response.setHeader('content-type', 'application/json');
        response.end(completionJson('Sold.'));
      },
      async (baseURL) => {
        const sendTwice: typeof fetch = async (...parameters) => {
          if (isReplay) await (await fetch(...parameters)).text();
          return fetch(...parameters);
        };
        const model = createOpenAI({ apiKey: 'k', baseURL, fetch: sendTwice }).chat('gpt-4o');
        const { text } = await ai.generateText({ model, prompt: 'Sell.' });
        isReplay = true;
        return text;
      },
    );
    expect(both.recorded.value).toBe('Sold.');
    expect(both.replayed.error).toMatchObject({ code: 'replay-refused' });
    expect(both.player.refusals).toEqual(['The provider made request 2, and 1 were recorded.']);
    expect(both.requests.total).toBe(1);
  });
});

describe('a key that is missing', () => {
  const { OPENAI_API_KEY } = process.env;
  afterEach(() => {
    if (OPENAI_API_KEY !== undefined) process.env.OPENAI_API_KEY = OPENAI_API_KEY;
  });

  it('fails as it failed, with its class', async () => {
    delete process.env.OPENAI_API_KEY;
    const both = await recordThenServe(
      (response) => response.end(),
      (baseURL) => ai.generateText({ model: createOpenAI({ baseURL }).chat('gpt-4o'), prompt: 'Sell.' }),
    );
    expect(LoadAPIKeyError.isInstance(both.replayed.error)).toBe(true);
    expect(errorFacts(both.replayed.error)).toEqual(errorFacts(both.recorded.error));
    expect(both.requests.total).toBe(0);
  });
});
