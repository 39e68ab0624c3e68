import { createOpenAI } from '@ai-sdk/openai';
import { tool as boundaryTool } from '@reenact/instrumentation';
import { AiSdkInstrumentation } from '@reenact/instrumentation-ai-sdk';
import * as plain from 'ai';
import { z } from 'zod';
import { errorFacts, thrownBy } from '../error-facts.ts';
import type { FidelityAct, FidelityLibrary, Peer } from '../fidelity-library.ts';
import { startOpenaiPeer } from './openai-peer.ts';

/** The package as an application has it: behind the instrumentation while it is patched. */
let ai: typeof plain = plain;

/** The peer turns a first attempt away, which it knows by this header: the SDK sends none that counts its attempts. */
function modelOf({ address }: Peer, name = 'gpt-4o'): plain.LanguageModel {
  let attempt = 0;
  const counted: typeof fetch = (url, init) => {
    const headers = new Headers(init?.headers);
    headers.set('x-stainless-retry-count', String(attempt++));
    return fetch(url, { ...init, headers });
  };
  return createOpenAI({ apiKey: 'sk-secret', baseURL: `${address}/v1`, fetch: counted }).chat(name);
}

const prompt = 'sell $1,000 worth';

async function ask(peer: Peer, name?: string): Promise<string> {
  return (await ai.generateText({ model: modelOf(peer, name), prompt })).text;
}

type Streamed = ReturnType<typeof plain.streamText>;

function open(peer: Peer, name: string, abortSignal?: AbortSignal): Streamed {
  return ai.streamText({
    model: modelOf(peer, name),
    prompt,
    maxRetries: 0,
    onError: () => undefined,
    ...(abortSignal && { abortSignal }),
  });
}

async function collect<Item>(stream: AsyncIterable<Item>, seen: Item[] = []): Promise<Item[]> {
  for await (const item of stream) seen.push(item);
  return seen;
}

const words = ['sell', ' 1,000', ' shares', ' 📉'];

const call: FidelityAct = {
  run: async (peer) => {
    const result = await ai.generateText({ model: modelOf(peer), prompt });
    const { text, content, finishReason, usage, response, request, providerMetadata, warnings } = result;
    return {
      text,
      content,
      finishReason,
      usage,
      response,
      request,
      providerMetadata,
      warnings,
      is: result.constructor,
    };
  },
  shows: {
    text: 'Sold 1,000 shares.',
    usage: { inputTokens: 9, outputTokens: 3 },
    response: { id: 'chatcmpl-1', headers: { 'x-request-id': 'req_7' } },
  },
  crossings: ['model:openai.chat returned 1'],
};

const stream: FidelityAct = {
  run: async (peer) => {
    const opened = open(peer, 'gpt-4o');
    const parts: unknown[] = [];
    // What the SDK measures is not compared: it measures anew.
    for await (const part of opened.stream) parts.push('performance' in part ? { ...part, performance: null } : part);
    return { parts, text: await opened.text, usage: await opened.totalUsage, is: opened.constructor };
  },
  shows: { text: words.join('') },
  crossings: ['model:openai.chat ended 1'],
};

const abort: FidelityAct = {
  run: async (peer) => {
    const left: string[] = [];
    const reader = open(peer, 'endless').textStream.getReader();
    for (let count = 0; count < 2; count += 1) left.push(String((await reader.read()).value));
    const controller = new AbortController();
    const seen: unknown[] = [];
    for await (const part of open(peer, 'endless', controller.signal).stream) {
      seen.push(part.type === 'text-delta' ? part.text : part.type);
      if (part.type === 'text-delta' && part.text === ' shares') controller.abort();
    }
    return { left, seen };
  },
  shows: { left: ['sell', ' 1,000'] },
  crossings: ['model:openai.chat aborted 1', 'model:openai.chat aborted 1'],
};

/** An error that the provider reports is a part of the stream, and the stream goes on; a broken connection ends it. */
async function reported(peer: Peer): Promise<unknown> {
  const parts: unknown[] = [];
  for await (const part of open(peer, 'reports-error').stream) {
    if (part.type === 'text-delta') parts.push(part.text);
    if (part.type === 'error') parts.push(errorFacts(part.error));
  }
  return parts;
}

const midStreamError: FidelityAct = {
  run: async (peer) => {
    const contents: string[] = [];
    const error = await thrownBy(() => collect(open(peer, 'breaks').textStream, contents));
    return { cut: { error, contents }, told: await reported(peer) };
  },
  shows: {
    cut: { error: { class: plain.APICallError }, contents: words },
    told: [...words, { class: plain.StreamProviderError, message: 'overloaded' }],
  },
  crossings: ['model:openai.chat failed 1', 'model:openai.chat ended 1'],
};

const retry: FidelityAct = {
  run: async (peer) => ({
    answer: await ask(peer, 'limited'),
    turnedAway: await thrownBy(() => ai.generateText({ model: modelOf(peer, 'limited'), prompt, maxRetries: 0 })),
  }),
  shows: { answer: 'Sold 1,000 shares.', turnedAway: { class: plain.APICallError, fields: { statusCode: 429 } } },
  crossings: ['model:openai.chat threw 1', 'model:openai.chat returned 1', 'model:openai.chat threw 1'],
};

const timeout: FidelityAct = {
  run: (peer) =>
    thrownBy(() => ai.generateText({ model: modelOf(peer, 'hangs'), prompt, abortSignal: AbortSignal.timeout(250) })),
  shows: { class: DOMException, name: 'TimeoutError' },
  crossings: ['model:openai.chat aborted 1'],
};

const reverseParallel: FidelityAct = {
  run: async (peer) => {
    const finished: string[] = [];
    const answers = await Promise.all(
      ['first', 'second', 'third'].map(async (name) => {
        finished.push(await ask(peer, name));
        return name;
      }),
    );
    return { answers, finished };
  },
  shows: { answers: ['first', 'second', 'third'], finished: ['third', 'second', 'first'] },
  crossings: ['model:openai.chat returned 1', 'model:openai.chat returned 1', 'model:openai.chat returned 1'],
};

const nestedTools: FidelityAct = {
  run: (peer) => {
    const inner = boundaryTool('inner', (name: string) => ask(peer, name));
    const outer = boundaryTool('outer', async (name: string) => `${await inner(name)} ${await ask(peer, name)}`);
    return outer('gpt-4o');
  },
  shows: 'Sold 1,000 shares. Sold 1,000 shares.',
  crossings: [
    'tool:outer returned 0',
    'tool:inner returned 0',
    'model:openai.chat returned 1',
    'model:openai.chat returned 1',
  ],
};

const doubleIteration: FidelityAct = {
  run: async (peer) => {
    const opened = open(peer, 'gpt-4o');
    return { first: await collect(opened.textStream), again: await collect(opened.textStream) };
  },
  shows: { first: words, again: words },
  crossings: ['model:openai.chat ended 1'],
};

const tee: FidelityAct = {
  run: async (peer) => {
    const [left, right] = open(peer, 'gpt-4o').textStream.tee();
    return { first: await collect(right), second: await collect(left) };
  },
  shows: { first: words, second: words },
  crossings: ['model:openai.chat ended 1'],
};

const helpers: FidelityAct = {
  run: async (peer) => {
    const output = ai.Output.object({ schema: z.object({ shares: z.number() }) });
    const parsed = await ai.generateText({ model: modelOf(peer, 'gives-json'), prompt, output });
    const response = open(peer, 'gpt-4o').toUIMessageStreamResponse({ generateMessageId: () => 'message-1' });
    const body = await response.text();
    const execute = async ({ symbol }: { symbol: string }): Promise<string> => `${symbol} costs 190`;
    const price = ai.tool({ inputSchema: z.object({ symbol: z.string() }), execute });
    const agent = new ai.ToolLoopAgent({ id: 'trader', model: modelOf(peer, 'calls-tools'), tools: { price } });
    const { text, steps, response: last } = await agent.generate({ prompt });
    return {
      parsed: parsed.output,
      body,
      type: response.headers.get('content-type'),
      agent: { text, results: steps.flatMap(({ toolResults }) => toolResults), messages: last.messages },
    };
  },
  shows: { parsed: { shares: 1000 }, agent: { text: 'It costs 190.', results: [{ output: 'ACME costs 190' }] } },
  crossings: [
    'model:openai.chat returned 1',
    'model:openai.chat ended 1',
    'agent:trader returned 0',
    'model:openai.chat returned 1',
    'tool:price returned 0',
    'model:openai.chat returned 1',
  ],
};

/** The AI SDK, over its provider for OpenAI. */
export const aiSdkFidelity: FidelityLibrary = {
  name: '`ai` (AI SDK)',
  start: startOpenaiPeer,
  patch: () => {
    const instrumentation = new AiSdkInstrumentation();
    ai = instrumentation.patchModule(plain);
    return () => {
      instrumentation.disable();
      ai = plain;
    };
  },
  patched: () => [
    [plain.ToolLoopAgent.prototype, 'generate'],
    [plain.ToolLoopAgent.prototype, 'stream'],
    [globalThis, 'fetch'],
  ],
  applications: {
    modules: 'ai-sdk',
    instrumentation: ['@reenact/instrumentation-ai-sdk', 'AiSdkInstrumentation'],
    bundled: 'ai-sdk-bundled',
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
