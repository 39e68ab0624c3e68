// A service whose requests each keep an object in a context of their own. Says of each way to end a call how many of these objects are still in memory.
import { AsyncLocalStorage } from 'node:async_hooks';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import OpenAI from 'openai';
import { agent, tool } from 'reenact';

const REQUESTS = 20;
const TURNS_MAX = 100;
const LONG_MS = 600_000;

/** What a request keeps: it can hold whatever the request was answered with. */
class Kept {
  answer: unknown;
}

const contexts = new AsyncLocalStorage<Kept>();

function event(content: string): string {
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
  return `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;
}

const upstream = createServer((request, response) => {
  request.resume();
  if (request.url !== '/chat/completions') return void response.end('{"items":[]}');
  response.setHeader('content-type', 'text/event-stream');
  response.end(`${event('one')}${event('two')}data: [DONE]\n\n`);
});
await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
const client = new OpenAI({ apiKey: 'none', baseURL: url });
const shutdown = new AbortController();

const words = tool('words', async function* () {
  yield 'one';
  yield 'two';
});
const fails = tool('fails', async () => {
  throw new Error('nothing to be found');
});

function streamed(signal?: AbortSignal) {
  return client.chat.completions.create({ model: 'm', messages: [], stream: true }, { signal });
}

/** Each leaves its answer with what the request keeps. */
const ways: Record<string, () => Promise<unknown>> = {
  'a stream of a tool that is read in part': async () => {
    const values = words();
    await values.next();
    return values;
  },
  'a tool that fails': () => fails().catch((error: unknown) => error),
  'a call that nobody waits for': async () => void fails().catch(() => undefined),
  'an answer that nobody reads': () => fetch(url),
  'an answer that is read in part': async () => {
    const reader = (await fetch(url)).body?.getReader();
    await reader?.read();
    return reader;
  },
  'an answer that is called off': async () => (await fetch(url)).body?.cancel(),
  'a long limit': async () => (await fetch(url, { signal: AbortSignal.timeout(LONG_MS) })).text(),
  'a signal for all': async () => (await fetch(url, { signal: shutdown.signal })).text(),
  'a model that is read in part': async () => {
    const stream = await streamed();
    for await (const chunk of stream) return [stream, chunk];
    return stream;
  },
  'a model that nobody reads': () => streamed(),
  'a model with a signal for all': async () => {
    const chunks: unknown[] = [];
    for await (const chunk of await streamed(shutdown.signal)) chunks.push(chunk);
    return chunks;
  },
  'a timer that is cleared': async () => {
    const timer = setTimeout(() => undefined, LONG_MS);
    await delay(1);
    clearTimeout(timer);
    return timer;
  },
};

const serve = agent('serve', async (way: string) => {
  const kept = contexts.getStore();
  const answer = await ways[way]?.();
  if (kept !== undefined) kept.answer = answer;
});

/** How many are left once no more than `enough` are, or nothing helps. The newest may be held by what is used again, such as a connection. */
async function left(enough: number): Promise<number> {
  for (let turn = 1; ; turn += 1) {
    await delay(1);
    globalThis.gc?.();
    const count = queryObjects(Kept, { format: 'count' });
    if (count <= enough || turn === TURNS_MAX) return count;
  }
}

const leftBy: Record<string, number> = {};
for (const way of Object.keys(ways)) {
  const before = await left(Number.POSITIVE_INFINITY);
  for (let request = 0; request < REQUESTS; request += 1) await contexts.run(new Kept(), () => serve(way));
  leftBy[way] = (await left(before + 2)) - before;
}
console.log(JSON.stringify(leftBy));
process.exit(0);
