import { tool } from '@reenact/instrumentation';
import { OpenAIInstrumentation } from '@reenact/instrumentation-openai';
import OpenAI, * as openai from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { thrownBy } from '../error-facts.ts';
import type { FidelityAct, FidelityLibrary, Peer } from '../fidelity-library.ts';
import { startOpenaiPeer } from './openai-peer.ts';

function clientOf({ address }: Peer): OpenAI {
  return new OpenAI({ apiKey: 'sk-secret', baseURL: `${address}/v1`, logLevel: 'off', maxRetries: 1 });
}

const messages = [{ role: 'user' as const, content: 'sell $1,000 worth' }];

function ask(peer: Peer, model = 'gpt-4o'): openai.APIPromise<OpenAI.ChatCompletion> {
  return clientOf(peer).chat.completions.create({ model, messages });
}

type Chunks = AsyncIterable<OpenAI.ChatCompletionChunk> & { readonly controller: AbortController };

async function open(peer: Peer, model: string, signal?: AbortSignal): Promise<Chunks> {
  return clientOf(peer).chat.completions.create({ model, messages, stream: true }, { ...(signal && { signal }) });
}

async function collect<Item>(stream: AsyncIterable<Item>, seen: Item[] = []): Promise<Item[]> {
  for await (const item of stream) seen.push(item);
  return seen;
}

const call: FidelityAct = {
  run: async (peer) => {
    const { data, response, request_id: requestId } = await ask(peer).withResponse();
    const { status, url, ok } = response;
    return {
      data,
      requestId,
      hidden: Reflect.get(data, '_request_id'),
      response: { status, url, ok, headers: [...response.headers], is: response.constructor },
    };
  },
  shows: { data: { choices: [{ message: { content: 'Sold 1,000 shares.' } }] }, requestId: 'req_7', hidden: 'req_7' },
  crossings: ['model:openai.chat returned 1'],
};

const stream: FidelityAct = {
  run: async (peer) => {
    const opened = await open(peer, 'gpt-4o');
    const { constructor: is } = opened;
    return { is, isAborted: opened.controller.signal.aborted, chunks: await collect(opened) };
  },
  shows: {
    chunks: ['sell', ' 1,000', ' shares', ' 📉']
      .map((content) => ({ choices: [{ delta: { content } }] }))
      .concat([{ choices: [{ delta: {} }] }] as never),
  },
  crossings: ['model:openai.chat ended 1'],
};

const abort: FidelityAct = {
  run: async (peer) => {
    const left: string[] = [];
    for await (const { choices } of await open(peer, 'endless')) {
      left.push(choices[0]?.delta.content ?? '');
      if (left.length === 2) break;
    }
    const controller = new AbortController();
    const seen: unknown[] = [];
    const opened = await open(peer, 'endless', controller.signal);
    for await (const item of opened) {
      seen.push(item);
      if (seen.length === 3) controller.abort();
    }
    const before = await thrownBy(() => open(peer, 'gpt-4o', controller.signal));
    return { left, seen, isAborted: opened.controller.signal.aborted, before };
  },
  shows: { left: ['sell', ' 1,000'], isAborted: true, before: { class: OpenAI.APIUserAbortError } },
  crossings: ['model:openai.chat aborted 1', 'model:openai.chat aborted 1', 'model:openai.chat aborted 0'],
};

async function brokenOff(peer: Peer, model: string): Promise<unknown> {
  const seen: OpenAI.ChatCompletionChunk[] = [];
  const opened = await open(peer, model);
  return {
    error: await thrownBy(() => collect(opened, seen)),
    contents: seen.map(({ choices }) => choices[0]?.delta.content),
  };
}

const midStreamError: FidelityAct = {
  run: async (peer) => ({ cut: await brokenOff(peer, 'breaks'), told: await brokenOff(peer, 'reports-error') }),
  shows: {
    cut: {
      error: { class: TypeError, cause: { code: 'UND_ERR_SOCKET' } },
      contents: ['sell', ' 1,000', ' shares', ' 📉'],
    },
    told: { error: { class: OpenAI.APIError }, contents: ['sell', ' 1,000', ' shares', ' 📉'] },
  },
  crossings: ['model:openai.chat failed 1', 'model:openai.chat aborted 1'],
};

const retry: FidelityAct = {
  run: async (peer) => ({
    answer: (await ask(peer, 'limited')).choices[0]?.message.content,
    turnedAway: await thrownBy(() =>
      clientOf(peer).withOptions({ maxRetries: 0 }).chat.completions.create({ model: 'limited', messages }),
    ),
  }),
  shows: { answer: 'Sold 1,000 shares.', turnedAway: { class: OpenAI.RateLimitError, fields: { status: 429 } } },
  crossings: ['model:openai.chat returned 2', 'model:openai.chat threw 1'],
};

const timeout: FidelityAct = {
  run: (peer) =>
    thrownBy(() =>
      clientOf(peer).chat.completions.create({ model: 'hangs', messages }, { timeout: 30, maxRetries: 0 }),
    ),
  shows: { class: OpenAI.APIConnectionTimeoutError },
  crossings: ['model:openai.chat threw 1'],
};

const reverseParallel: FidelityAct = {
  run: async (peer) => {
    const finished: unknown[] = [];
    const models = ['first', 'second', 'third'];
    const answers = await Promise.all(
      models.map(async (model) => {
        const { choices } = await ask(peer, model);
        finished.push(choices[0]?.message.content);
        return choices[0]?.message.content;
      }),
    );
    return { answers, finished };
  },
  shows: { answers: ['first', 'second', 'third'], finished: ['third', 'second', 'first'] },
  crossings: ['model:openai.chat returned 1', 'model:openai.chat returned 1', 'model:openai.chat returned 1'],
};

const nestedTools: FidelityAct = {
  run: (peer) => {
    const inner = tool('inner', async (model: string) => (await ask(peer, model)).choices[0]?.message.content);
    const outer = tool('outer', async (model: string) => `${await inner(model)} ${(await ask(peer, model)).id}`);
    return outer('gpt-4o');
  },
  shows: 'Sold 1,000 shares. chatcmpl-1',
  crossings: [
    'tool:outer returned 0',
    'tool:inner returned 0',
    'model:openai.chat returned 1',
    'model:openai.chat returned 1',
  ],
};

const doubleIteration: FidelityAct = {
  run: async (peer) => {
    const opened = await open(peer, 'gpt-4o');
    const promise = ask(peer);
    return {
      chunks: await collect(opened),
      again: await thrownBy(() => collect(opened)),
      isSame: Object.is(await promise, await promise),
    };
  },
  shows: { again: { class: OpenAI.OpenAIError }, isSame: true },
  crossings: ['model:openai.chat ended 1', 'model:openai.chat returned 1'],
};

const tee: FidelityAct = {
  run: async (peer) => {
    const [left, right] = ((await open(peer, 'gpt-4o')) as unknown as { tee(): [Chunks, Chunks] }).tee();
    const first = await collect(right);
    return { first, second: await collect(left), is: left.constructor };
  },
  shows: { first: { length: 5 }, second: { length: 5 } },
  crossings: ['model:openai.chat ended 1'],
};

async function toolLoop(peer: Peer): Promise<unknown> {
  const price = tool('price', async ({ symbol }: { symbol: string }) => `${symbol} costs 190`);
  const definition = {
    type: 'function' as const,
    function: {
      name: 'price',
      parse: JSON.parse,
      function: (order: { symbol: string }) => price(order),
      description: 'p',
      parameters: { type: 'object' },
    },
  };
  const runner = clientOf(peer).chat.completions.runTools({ model: 'calls-tools', messages, tools: [definition] });
  const contents: unknown[] = [];
  runner.on('content', (content) => contents.push(content));
  return { final: await runner.finalContent(), contents, messages: runner.messages, usage: await runner.totalUsage() };
}

const helpers: FidelityAct = {
  run: async (peer) => {
    const { chat, responses, models } = clientOf(peer);
    const running = chat.completions.stream({ model: 'gpt-4o', messages });
    const deltas: string[] = [];
    running.on('content', (delta) => deltas.push(delta));
    const final = await running.finalChatCompletion();
    const format = zodResponseFormat(z.object({ shares: z.number() }), 'order');
    const { choices } = await chat.completions.parse({ model: 'gives-json', messages, response_format: format });
    const lines = await new Response(
      ((await open(peer, 'gpt-4o')) as never as { toReadableStream(): ReadableStream }).toReadableStream(),
    ).text();
    const answer = responses.stream({ model: 'gpt-4o', input: 'sell' });
    const types = (await collect(answer)).map(({ type }) => type);
    const page = await models.list();
    return {
      streamed: { deltas, final, is: running.constructor },
      parsed: choices[0]?.message.parsed,
      lines,
      answered: { types, text: (await answer.finalResponse()).output_text },
      page: { is: page.constructor, data: page.data, more: page.hasNextPage() },
      tools: await toolLoop(peer),
    };
  },
  shows: {
    streamed: {
      deltas: ['sell', ' 1,000', ' shares', ' 📉'],
      final: { choices: [{ message: { content: 'sell 1,000 shares 📉' } }] },
    },
    parsed: { shares: 1000 },
    answered: { text: 'Sold.' },
    tools: { final: 'It costs 190.', contents: ['It costs 190.'] },
  },
  crossings: [
    'model:openai.chat ended 1',
    'model:openai.chat returned 1',
    'model:openai.chat ended 1',
    'model:openai.responses ended 1',
    'http:GET 127.0.0.1:* returned 1',
    'model:openai.chat returned 1',
    'tool:price returned 0',
    'model:openai.chat returned 1',
  ],
};

/** The `openai` package. */
export const openaiFidelity: FidelityLibrary = {
  name: '`openai`',
  start: startOpenaiPeer,
  patch: () => {
    const instrumentation = new OpenAIInstrumentation();
    instrumentation.patchModule(openai);
    return () => instrumentation.disable();
  },
  patched: () => ['makeRequest', 'fetchWithTimeout', '_callApiKey', 'bearerAuth'].map((key) => [OpenAI.prototype, key]),
  applications: {
    modules: 'openai',
    instrumentation: ['@reenact/instrumentation-openai', 'OpenAIInstrumentation'],
    bundled: 'openai-bundled',
  },
  cases: {
    call,
    stream,
    abort,
    'mid-stream error': midStreamError,
    '429 then success': retry,
    timeout,
    'reverse parallel': reverseParallel,
    'nested tools': nestedTools,
    'double iteration': doubleIteration,
    tee,
    helpers,
  },
};
