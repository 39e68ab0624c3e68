import { AsyncResource } from 'node:async_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { RecordedCalls, ScriptedProvider } from '@reenact/instrumentation/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clientOf, patchOpenAI } from './testdata/client-suite.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const CALLS = 40;
const CONTENT_CHARACTERS = 200_000;

let undo: () => void;
beforeAll(() => {
  undo = patchOpenAI();
});
afterAll(() => undo());

function contentOf(call: number): string {
  return `${call} `.repeat(CONTENT_CHARACTERS).slice(0, CONTENT_CHARACTERS);
}

function answerOf(content: string): string {
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
  return JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'gpt-4o', choices });
}

/** Calls a model as often as wanted, and holds for each call what the platform's `fetch` holds: the context of its request. */
async function callAndHold(baseURL: string, calls: number): Promise<AsyncResource[]> {
  const held: AsyncResource[] = [];
  const client = clientOf(baseURL, {
    fetch: (...parameters: Parameters<typeof fetch>) => {
      held.push(new AsyncResource('request'));
      return fetch(...parameters);
    },
  });
  for (let call = 0; call < calls; call += 1) {
    await client.chat.completions.create({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: contentOf(call) }],
    });
  }
  return held;
}

it('a call that has ended keeps none of its texts, however long the context of its request is held', async () => {
  const provider = await ScriptedProvider.start((response) =>
    response.setHeader('content-type', 'application/json').end(answerOf(contentOf(1))),
  );
  const calls = new RecordedCalls();
  const detach = calls.attach();
  try {
    await callAndHold(provider.baseURL, 2);
    provider.requests.length = 0;
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    const held = await callAndHold(provider.baseURL, CALLS);
    provider.requests.length = 0;
    expect(calls.facts).toHaveLength(CALLS + 2);
    calls.facts.length = 0;
    collectGarbage();
    const keptBytes = (process.memoryUsage().heapUsed - before) / CALLS;
    expect(held).toHaveLength(CALLS);
    expect(keptBytes).toBeLessThan(CONTENT_CHARACTERS / 4);
  } finally {
    detach();
    await provider.stop();
  }
});
