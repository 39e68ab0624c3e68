import { type AnthropicProvider, createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI, type OpenAIProvider } from '@ai-sdk/openai';
import { LLMock } from '@copilotkit/aimock';
import { type Ended, endOf, RecordedCalls, TapePlayer } from '@reenact/instrumentation/testing';

/** What an act did over the providers' protocols, and what it did when it was served. */
export interface MockEnds {
  readonly recorded: Ended;
  readonly replayed: Ended;
  readonly calls: RecordedCalls;
  readonly player: TapePlayer;
  /** Requests in the provider's own journal, before and after the replay. */
  readonly requests: { readonly recording: number; readonly total: number };
}

/** The providers an act talks to. */
export interface Providers {
  readonly openai: OpenAIProvider;
  readonly anthropic: AnthropicProvider;
}

/** Records `act` against a server that speaks the true protocols, then serves it with the server still up. */
export async function recordThenServeMock(
  prepare: (mock: LLMock) => unknown,
  act: (providers: Providers) => unknown,
  count = 1,
): Promise<MockEnds> {
  const mock = new LLMock({ port: 0, strict: true, chunkSize: 5 });
  prepare(mock);
  await mock.start();
  const calls = new RecordedCalls();
  const detach = calls.attach();
  try {
    const settings = { apiKey: 'sk-secret-key', baseURL: `${mock.url}/v1` };
    const providers = { openai: createOpenAI(settings), anthropic: createAnthropic(settings) };
    const recorded = await endOf(() => act(providers));
    await calls.settled(count);
    detach();
    const recording = mock.getRequests().length;
    const player = new TapePlayer(calls.crossings());
    const replayed = await player.during(() => endOf(() => act(providers)));
    return { recorded, replayed, calls, player, requests: { recording, total: mock.getRequests().length } };
  } finally {
    detach();
    await mock.stop();
  }
}

/** Everything a stream yields. */
export async function allOf<Item>(stream: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

/** Fails unless the act ended well both times, in the same way, without a request in the replay and with nothing left over. */
export function reproduced({ recorded, replayed, player, requests }: MockEnds): unknown {
  if (recorded.error !== undefined) throw recorded.error;
  if (replayed.error !== undefined) throw replayed.error;
  const { left, changed, refusals } = player;
  return { value: replayed.value, requests: requests.total - requests.recording, left, changed, refusals };
}

/** What `reproduced` gives where nothing differed. */
export function asRecorded({ recorded }: MockEnds): unknown {
  return { value: recorded.value, requests: 0, left: [], changed: [], refusals: [] };
}
