import { agent } from '@reenact/instrumentation';
import { OpenAIInstrumentation } from '@reenact/instrumentation-openai';
import OpenAI, * as openai from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Peer } from './fidelity-library.ts';
import { startOpenaiPeer } from './libraries/openai-peer.ts';
import { FidelityHost } from './record-then-replay.ts';

type Lazy = openai.APIPromise<OpenAI.ChatCompletion>;

let peer: Peer;
let host: FidelityHost;
const instrumentation = new OpenAIInstrumentation();
beforeEach(async () => {
  peer = await startOpenaiPeer();
  instrumentation.patchModule(openai);
  instrumentation.enable();
  host = new FidelityHost();
});
afterEach(async () => {
  instrumentation.disable();
  await host.stop();
  await peer.stop();
});

const waits: readonly (readonly [string, (promise: Lazy) => Promise<unknown>])[] = [
  ['await', async (promise) => promise],
  ['withResponse', async (promise) => promise.withResponse()],
  ['asResponse', async (promise) => (await promise.asResponse()).json()],
  ['catch', async (promise) => promise.catch(() => 'failed')],
  ['finally', async (promise) => promise.finally(() => undefined)],
];

function lazyAgent(model: string): () => Lazy {
  const client = new OpenAI({ apiKey: 'k', baseURL: `${peer.address}/v1`, logLevel: 'off', maxRetries: 0 });
  return agent('lazy', () => client.chat.completions.create({ model, messages: [] })) as () => Lazy;
}

describe('an agent that hands on the lazy promise of a client', () => {
  it.each(waits)('ends when the host has waited for it by %s', async (_name, wait) => {
    await wait(lazyAgent('gpt-4o')());
    expect(await host.endedCrossings()).toEqual(['chat gpt-4o', 'invoke_agent lazy']);
  });

  it('keeps what the client threw, and not what a catch made of it', async () => {
    const answer = await lazyAgent('limited')().catch((error: unknown) => `${error}`.slice(0, 3));
    expect(answer).toBe('Err');
    expect(await host.endedCrossings()).toEqual(['chat limited', 'invoke_agent lazy']);
    expect(host.failedSpans()).toEqual(['chat limited', 'invoke_agent lazy']);
  });
});
