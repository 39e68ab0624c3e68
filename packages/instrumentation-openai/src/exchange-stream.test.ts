import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gate } from '@reenact/instrumentation';
import {
  chunkEvent,
  crossingOf,
  endOf,
  errorFacts,
  RecordedCalls,
  recordThenServe,
  type Script,
  ScriptedProvider,
  TapePlayer,
} from '@reenact/instrumentation/testing';
import { ATTR_GEN_AI_OUTPUT_MESSAGES, ATTR_GEN_AI_RESPONSE_TIME_TO_FIRST_CHUNK } from '@reenact/semconv/gen-ai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientOf, patchOpenAI } from './testdata/client-suite.ts';

let undo: () => void;
beforeAll(() => {
  undo = patchOpenAI();
});
afterAll(() => undo());

type ChatStream = AsyncIterable<OpenAI.ChatCompletionChunk> & { readonly controller: AbortController };

function open(baseURL: string) {
  return clientOf(baseURL).chat.completions.create({ model: 'gpt-4o', messages: [], stream: true });
}

type OnChunk = (seen: number) => unknown;

/** The contents of the chunks; `onChunk` may stop the loop by returning true. */
async function contents(stream: AsyncIterable<OpenAI.ChatCompletionChunk>, onChunk?: OnChunk): Promise<string[]> {
  const seen: string[] = [];
  for await (const chunk of stream) {
    seen.push(chunk.choices[0]?.delta.content ?? '');
    if (onChunk?.(seen.length) === true) break;
  }
  return seen;
}

/** What was seen before the stream failed, and how it did. */
async function contentsAndError(stream: ChatStream, onChunk?: OnChunk): Promise<unknown> {
  const seen: string[] = [];
  const { error } = await endOf(async () => {
    for await (const chunk of stream) {
      seen.push(chunk.choices[0]?.delta.content ?? '');
      onChunk?.(seen.length);
    }
  });
  return { seen, error: errorFacts(error) };
}

const eventHeaders = { 'content-type': 'text/event-stream; charset=utf-8', 'x-request-id': 'req_s' };
const greeting = [chunkEvent('Guten '), chunkEvent('Tag 👋'), chunkEvent('', 'stop'), 'data: [DONE]\n\n'];

function written(response: Parameters<Script>[0], bytes: string | Buffer): Promise<void> {
  return new Promise((resolve) => response.write(bytes, () => setImmediate(resolve)));
}

const whole: Script = async (response) => {
  response.writeHead(200, eventHeaders);
  for (const event of greeting) await written(response, event);
  response.end();
};

describe('a stream', () => {
  it('gives the same chunks in the same pieces', async () => {
    const ends = await recordThenServe(whole, async (baseURL) => contents(await open(baseURL)));
    expect(ends.recorded).toEqual({ value: ['Guten ', 'Tag 👋', ''] });
    expect(ends.replayed).toEqual(ends.recorded);
    expect(ends.requests.total).toBe(1);
    expect(ends.calls.only.outcome).toMatchObject({ type: 'ended', chunks: [] });
    expect(ends.crossings[0]?.exchanges[0]?.response?.end).toBe('complete');
  });

  it('keeps characters whole whose bytes came in two chunks', async () => {
    const bytes = Buffer.from(greeting.join(''));
    const cut = bytes.indexOf(Buffer.from('👋')) + 2;
    const arrived = Promise.withResolvers<void>();
    const script: Script = async (response) => {
      response.writeHead(200, eventHeaders).write(bytes.subarray(0, cut));
      await arrived.promise;
      response.end(bytes.subarray(cut));
    };
    const ends = await recordThenServe(script, async (baseURL) =>
      contents(await open(baseURL), () => arrived.resolve()),
    );
    expect(ends.recorded).toEqual({ value: ['Guten ', 'Tag 👋', ''] });
    expect(ends.replayed).toEqual(ends.recorded);
    expect(ends.crossings[0]?.exchanges[0]?.response?.chunks.some(([, data]) => typeof data !== 'string')).toBe(true);
    expect(ends.calls.only.content[ATTR_GEN_AI_OUTPUT_MESSAGES]).toContain('Guten Tag 👋');
  });

  it('can be split in two, and turned into a readable stream', async () => {
    const ends = await recordThenServe(whole, async (baseURL) => {
      const [left, right] = (await open(baseURL)).tee();
      const text = await new Response(right.toReadableStream()).text();
      return { left: await contents(left), text };
    });
    expect(ends.recorded.error).toBeUndefined();
    expect(ends.replayed).toEqual(ends.recorded);
  });

  it('refuses a second iteration in the same words', async () => {
    const twice = async (baseURL: string): Promise<unknown> => {
      const stream = await open(baseURL);
      await contents(stream);
      return errorFacts((await endOf(() => contents(stream))).error);
    };
    const ends = await recordThenServe(whole, twice);
    expect(ends.recorded.value).toMatchObject({ class: OpenAI.OpenAIError });
    expect(ends.replayed).toEqual(ends.recorded);
  });
});

describe('a stream that goes wrong', () => {
  it('by an error event throws it after the same chunk', async () => {
    const script: Script = (response) => {
      response.writeHead(200, eventHeaders);
      response.end(`${chunkEvent('half')}data: {"error":{"message":"overloaded","code":"busy"}}\n\n`);
    };
    const ends = await recordThenServe(script, async (baseURL) => contentsAndError(await open(baseURL)));
    expect(ends.recorded.value).toMatchObject({ seen: ['half'], error: { class: OpenAI.APIError } });
    expect(ends.replayed).toEqual(ends.recorded);
  });

  it('by breaking off breaks off after the same chunk', async () => {
    const arrived = Promise.withResolvers<void>();
    const script: Script = async (response) => {
      response.writeHead(200, eventHeaders).write(chunkEvent('half'));
      await arrived.promise;
      response.destroy();
    };
    const ends = await recordThenServe(script, async (baseURL) =>
      contentsAndError(await open(baseURL), () => arrived.resolve()),
    );
    expect(ends.recorded.value).toMatchObject({ seen: ['half'], error: { class: TypeError, message: 'terminated' } });
    expect(ends.replayed).toEqual(ends.recorded);
    expect(ends.calls.only.outcome.type).toBe('failed');
  });
});

describe('a stream nobody reads to its end', () => {
  const endless: Script = async (response) => {
    response.writeHead(200, eventHeaders);
    await written(response, chunkEvent('one'));
    await written(response, chunkEvent('two'));
  };

  it('is left after the same chunk', async () => {
    const ends = await recordThenServe(endless, async (baseURL) => contents(await open(baseURL), () => true));
    expect(ends.recorded).toEqual({ value: ['one'] });
    expect(ends.replayed).toEqual(ends.recorded);
    expect(ends.calls.only.outcome.type).toBe('aborted');
    expect(ends.crossings[0]?.exchanges[0]?.response?.end).toBe('aborted');
  });

  it('is aborted by its controller again', async () => {
    const ends = await recordThenServe(endless, async (baseURL) => {
      const stream = await open(baseURL);
      return contents(stream, (seen) => {
        if (seen === 2) stream.controller.abort();
      });
    });
    expect(ends.recorded).toEqual({ value: ['one', 'two'] });
    expect(ends.replayed).toEqual(ends.recorded);
  });

  it("is aborted by the caller's signal again", async () => {
    const ends = await recordThenServe(endless, async (baseURL) => {
      const controller = new AbortController();
      const body = { model: 'm', messages: [], stream: true } as const;
      const stream = await clientOf(baseURL).chat.completions.create(
        { ...body, messages: [] },
        { signal: controller.signal },
      );
      return contentsAndError(stream, (seen) => {
        if (seen === 2) controller.abort();
      });
    });
    expect(ends.recorded.value).toMatchObject({ seen: ['one', 'two'] });
    expect(ends.replayed).toEqual(ends.recorded);
  });
});

describe('time to first byte', () => {
  it('is that of the wire: the host reads the first chunk before the second is sent', async () => {
    let sendSecond = (): void => undefined;
    const mayContinue = new Promise<void>((resolve) => {
      sendSecond = resolve;
    });
    const server = await ScriptedProvider.start(async (response) => {
      response.writeHead(200, eventHeaders);
      response.write(chunkEvent('first'));
      await mayContinue;
      response.end(`${chunkEvent('second')}data: [DONE]\n\n`);
    });
    const calls = new RecordedCalls();
    const detach = calls.attach();
    const stream = (await open(server.baseURL))[Symbol.asyncIterator]();
    // Would never come back if anything of ours waited for more than the first chunk.
    const first = await stream.next();
    expect(first.value?.choices[0]?.delta.content).toBe('first');
    sendSecond();
    expect((await stream.next()).value?.choices[0]?.delta.content).toBe('second');
    expect((await stream.next()).done).toBe(true);
    await calls.settled(1);
    expect(calls.only.slim[ATTR_GEN_AI_RESPONSE_TIME_TO_FIRST_CHUNK]).toBeGreaterThan(0);
    detach();
    await server.stop();
  });
});

describe('a stream still open when the process ends', () => {
  it('is kept as far as it was read, and replays up to there', async () => {
    const server = await ScriptedProvider.start((response) => {
      response.writeHead(200, eventHeaders).write(chunkEvent('so far'));
    });
    const calls = new RecordedCalls();
    const detach = calls.attach();
    const reading = (await open(server.baseURL))[Symbol.asyncIterator]();
    await reading.next();
    const [pending] = gate.pendingFacts();
    detach();
    await server.stop();
    expect(pending).toMatchObject({
      call: 'exchange',
      outcome: { type: 'aborted' },
      exchanges: [{ response: { end: 'open' } }],
    });
    expect(pending?.content[ATTR_GEN_AI_OUTPUT_MESSAGES]).toContain('so far');
    const player = new TapePlayer(pending === undefined ? [] : [crossingOf(pending)]);
    const again = await player.during(async () => (await open('http://127.0.0.1:9/v1'))[Symbol.asyncIterator]().next());
    expect(again.value?.choices[0]?.delta.content).toBe('so far');
    await endOf(() => reading.next());
  });
});

describe('a raw response the host lets go of', () => {
  it('is not held by the recording, and settles as returned and unread', async () => {
    setFlagsFromString('--expose_gc');
    const collect = runInNewContext('gc') as () => void;
    const server = await ScriptedProvider.start(whole);
    const calls = new RecordedCalls();
    const detach = calls.attach();
    const statusOf = async (): Promise<number> => {
      const request = clientOf(server.baseURL).chat.completions.create({ model: 'm', messages: [] });
      return (await request.asResponse()).status;
    };
    expect(await statusOf()).toBe(200);
    while (calls.facts.length === 0) {
      collect();
      await new Promise(setImmediate);
    }
    expect(calls.only.exchanges[0]?.response).toMatchObject({ end: 'open', chunks: [] });
    detach();
    await server.stop();
  });
});
