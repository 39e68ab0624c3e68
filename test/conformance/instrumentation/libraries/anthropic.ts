import Anthropic, * as sdk from '@anthropic-ai/sdk';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { tool } from '@reenact/instrumentation';
import { AnthropicInstrumentation } from '@reenact/instrumentation-anthropic';
import { z } from 'zod';
import { thrownBy } from '../error-facts.ts';
import type { FidelityAct, FidelityLibrary, Peer } from '../fidelity-library.ts';
import { startAnthropicPeer } from './anthropic-peer.ts';

function clientOf({ address }: Peer): Anthropic {
  return new Anthropic({ apiKey: 'sk-ant-secret', baseURL: address, logLevel: 'off', maxRetries: 1 });
}

const basis = { max_tokens: 64, messages: [{ role: 'user' as const, content: 'sell $1,000 worth' }] };

function ask(peer: Peer, model = 'claude'): ReturnType<typeof createMessage> {
  return createMessage(clientOf(peer), model);
}

function createMessage(client: Anthropic, model: string) {
  return client.messages.create({ ...basis, model });
}

type Events = AsyncIterable<Anthropic.RawMessageStreamEvent> & { readonly controller: AbortController };

async function open(peer: Peer, model: string, signal?: AbortSignal): Promise<Events> {
  return clientOf(peer).messages.create({ ...basis, model, stream: true }, { ...(signal && { signal }) });
}

async function collect<Item>(stream: AsyncIterable<Item>, seen: Item[] = []): Promise<Item[]> {
  for await (const item of stream) seen.push(item);
  return seen;
}

const call: FidelityAct = {
  run: async (peer) => {
    const { data, response, request_id: requestId, ...others } = await ask(peer).withResponse();
    const { status, url, ok } = response;
    return {
      data,
      requestId,
      others,
      hidden: [Reflect.get(data, '_request_id'), Reflect.get(data, '_workspace_id')],
      response: { status, url, ok, headers: [...response.headers], is: response.constructor },
    };
  },
  shows: {
    data: { content: [{ type: 'thinking', signature: 'c2lnbmF0dXJl' }, { text: 'Sold 1,000 shares.' }] },
    requestId: 'req_7',
    hidden: ['req_7', 'wrk_1'],
  },
  crossings: ['model:anthropic.messages returned 1'],
};

const stream: FidelityAct = {
  run: async (peer) => {
    const opened = await open(peer, 'claude');
    const { constructor: is } = opened;
    const events = await collect(opened);
    return { is, isAborted: opened.controller.signal.aborted, events, count: events.length };
  },
  shows: { isAborted: false, count: 15, events: { 0: { type: 'message_start' }, 14: { type: 'message_stop' } } },
  crossings: ['model:anthropic.messages ended 1'],
};

const abort: FidelityAct = {
  run: async (peer) => {
    const left: string[] = [];
    for await (const { type } of await open(peer, 'endless')) {
      left.push(type);
      if (left.length === 2) break;
    }
    const controller = new AbortController();
    const seen: string[] = [];
    const opened = await open(peer, 'endless', controller.signal);
    for await (const { type } of opened) {
      seen.push(type);
      if (seen.length === 3) controller.abort();
    }
    const helper = clientOf(peer).messages.stream({ ...basis, model: 'endless' });
    helper.on('thinking', () => helper.abort());
    const stopped = await thrownBy(() => helper.finalMessage());
    const before = await thrownBy(() => open(peer, 'claude', controller.signal));
    return { left, seen, isAborted: opened.controller.signal.aborted, stopped, before };
  },
  shows: {
    left: ['message_start', 'content_block_start'],
    isAborted: true,
    stopped: { class: Anthropic.APIUserAbortError },
    before: { class: Anthropic.APIUserAbortError },
  },
  crossings: [
    'model:anthropic.messages aborted 1',
    'model:anthropic.messages aborted 1',
    'model:anthropic.messages aborted 1',
    'model:anthropic.messages aborted 0',
  ],
};

async function brokenOff(peer: Peer, model: string): Promise<unknown> {
  const seen: Anthropic.RawMessageStreamEvent[] = [];
  const opened = await open(peer, model);
  return { error: await thrownBy(() => collect(opened, seen)), types: seen.map(({ type }) => type) };
}

const midStreamError: FidelityAct = {
  run: async (peer) => ({ cut: await brokenOff(peer, 'breaks'), told: await brokenOff(peer, 'reports-error') }),
  shows: {
    cut: { error: { name: /Error/ }, types: { length: 13 } },
    told: { error: { class: Anthropic.APIError }, types: { length: 13 } },
  },
  crossings: ['model:anthropic.messages failed 1', 'model:anthropic.messages aborted 1'],
};

const retry: FidelityAct = {
  run: async (peer) => {
    const once = clientOf(peer).withOptions({ maxRetries: 0 });
    return {
      limited: (await ask(peer, 'limited')).content,
      overloaded: (await ask(peer, 'overloaded')).content,
      turnedAway: await thrownBy(() => createMessage(once, 'overloaded')),
    };
  },
  shows: {
    limited: { length: 2 },
    overloaded: { length: 2 },
    turnedAway: { class: Anthropic.OverloadedError, fields: { status: 529 } },
  },
  crossings: [
    'model:anthropic.messages returned 2',
    'model:anthropic.messages returned 2',
    'model:anthropic.messages threw 1',
  ],
};

const timeout: FidelityAct = {
  run: (peer) =>
    thrownBy(() => clientOf(peer).messages.create({ ...basis, model: 'hangs' }, { timeout: 30, maxRetries: 0 })),
  shows: { class: Anthropic.APIConnectionTimeoutError },
  crossings: ['model:anthropic.messages threw 1'],
};

const reverseParallel: FidelityAct = {
  run: async (peer) => {
    const finished: unknown[] = [];
    const answers = await Promise.all(
      ['first', 'second', 'third'].map(async (model) => {
        const { content } = await ask(peer, model);
        finished.push(content);
        return content;
      }),
    );
    return { answers, finished };
  },
  shows: {
    answers: [[{ text: 'first' }], [{ text: 'second' }], [{ text: 'third' }]],
    finished: [[{ text: 'third' }], [{ text: 'second' }], [{ text: 'first' }]],
  },
  crossings: Array.from({ length: 3 }, () => 'model:anthropic.messages returned 1'),
};

const nestedTools: FidelityAct = {
  run: (peer) => {
    const inner = tool('inner', async (model: string) => (await ask(peer, model)).stop_reason);
    const outer = tool('outer', async (model: string) => `${await inner(model)} ${(await ask(peer, model)).id}`);
    return outer('claude');
  },
  shows: 'end_turn msg_1',
  crossings: [
    'tool:outer returned 0',
    'tool:inner returned 0',
    'model:anthropic.messages returned 1',
    'model:anthropic.messages returned 1',
  ],
};

const doubleIteration: FidelityAct = {
  run: async (peer) => {
    const opened = await open(peer, 'claude');
    const promise = ask(peer);
    return {
      events: await collect(opened),
      again: await thrownBy(() => collect(opened)),
      isSame: Object.is(await promise, await promise),
    };
  },
  shows: { again: { class: Anthropic.AnthropicError }, isSame: true },
  crossings: ['model:anthropic.messages ended 1', 'model:anthropic.messages returned 1'],
};

const tee: FidelityAct = {
  run: async (peer) => {
    const [left, right] = ((await open(peer, 'claude')) as unknown as { tee(): [Events, Events] }).tee();
    const first = await collect(right);
    return { first, second: await collect(left), is: left.constructor };
  },
  shows: { first: { length: 15 }, second: { length: 15 } },
  crossings: ['model:anthropic.messages ended 1'],
};

async function toolLoop(peer: Peer): Promise<unknown> {
  const price = tool('price', async ({ symbol }: { symbol: string }) => `${symbol} costs 190`);
  const definition = betaZodTool({
    name: 'price',
    description: 'The price of a share.',
    inputSchema: z.object({ symbol: z.string() }),
    run: (input) => price(input),
  });
  const runner = clientOf(peer).beta.messages.toolRunner({ ...basis, model: 'calls-tools', tools: [definition] });
  const seen = (await collect(runner)).map(({ content }) => content);
  return { seen, sent: runner.params.messages, final: (await runner.done()).content };
}

const helpers: FidelityAct = {
  run: async (peer) => {
    const client = clientOf(peer);
    const helper = client.messages.stream({ ...basis, model: 'claude' });
    const heard: unknown[] = [];
    helper.on('text', (delta) => heard.push(delta)).on('thinking', (delta) => heard.push(delta));
    helper.on('inputJson', (_, snapshot) => heard.push(snapshot)).on('signature', (signature) => heard.push(signature));
    const final = await helper.finalMessage();
    const format = zodOutputFormat(z.object({ shares: z.number() }));
    const parsed = await client.messages.parse({ ...basis, model: 'gives-json', output_config: { format } });
    const lines = await new Response(client.messages.stream({ ...basis, model: 'claude' }).toReadableStream()).text();
    const page = await client.models.list();
    return {
      streamed: { heard, final, text: await helper.finalText(), is: helper.constructor, requestId: helper.request_id },
      parsed: parsed.parsed_output,
      lines,
      counted: await client.messages.countTokens({ model: 'claude', messages: basis.messages }),
      batch: await client.messages.batches.create({ requests: [] }),
      page: { is: page.constructor, data: page.data, more: page.hasNextPage() },
      raw: await (await ask(peer).asResponse()).json(),
      tools: await toolLoop(peer),
    };
  },
  shows: {
    streamed: { text: 'Sold 📉', final: { stop_reason: 'tool_use', usage: { output_tokens: 42 } }, requestId: 'req_8' },
    parsed: { shares: 1000 },
    counted: { input_tokens: 14 },
    tools: { final: [{ text: 'It costs 190.' }] },
  },
  crossings: [
    'model:anthropic.messages ended 1',
    'model:anthropic.messages returned 1',
    'model:anthropic.messages ended 1',
    'http:GET 127.0.0.1:* returned 1',
    'http:POST 127.0.0.1:* returned 1',
    'http:POST 127.0.0.1:* returned 1',
    'model:anthropic.messages returned 1',
    'model:anthropic.messages returned 1',
    'tool:price returned 0',
    'model:anthropic.messages returned 1',
  ],
};

/** The `@anthropic-ai/sdk` package. */
export const anthropicFidelity: FidelityLibrary = {
  name: '`@anthropic-ai/sdk`',
  start: startAnthropicPeer,
  patch: () => {
    const instrumentation = new AnthropicInstrumentation();
    instrumentation.patchModule(sdk);
    return () => instrumentation.disable();
  },
  patched: () => ['makeRequest', 'fetchWithTimeout', 'authHeaders'].map((key) => [sdk.BaseAnthropic.prototype, key]),
  applications: {
    modules: 'anthropic',
    instrumentation: ['@reenact/instrumentation-anthropic', 'AnthropicInstrumentation'],
    bundled: 'anthropic-bundled',
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
