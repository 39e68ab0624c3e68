import { LLMock } from '@copilotkit/aimock';
import { type Ended, endOf, RecordedCalls, TapePlayer } from '@reenact/instrumentation/testing';
import type OpenAI from 'openai';
import { clientOf } from './client-suite.ts';

/** What an act did over the provider's protocol, and what it did when it was served. */
export interface MockEnds {
  readonly recorded: Ended;
  readonly replayed: Ended;
  readonly calls: RecordedCalls;
  readonly player: TapePlayer;
  /** Requests in the provider's own journal, before and after the replay. */
  readonly requests: { readonly recording: number; readonly total: number };
}

/** Records `act` against a provider that speaks the true protocol, then serves it with the provider still up. */
export async function recordThenServeMock(
  prepare: (mock: LLMock) => unknown,
  act: (client: OpenAI) => unknown,
  count = 1,
): Promise<MockEnds> {
  const mock = new LLMock({ port: 0, chunkSize: 5 });
  prepare(mock);
  await mock.start();
  const calls = new RecordedCalls();
  const detach = calls.attach();
  try {
    const client = clientOf(`${mock.url}/v1`);
    const recorded = await endOf(() => act(client));
    await calls.settled(count);
    detach();
    const recording = mock.getRequests().length;
    const player = new TapePlayer(calls.crossings());
    const replayed = await player.during(() => endOf(() => act(client)));
    return { recorded, replayed, calls, player, requests: { recording, total: mock.getRequests().length } };
  } finally {
    detach();
    await mock.stop();
  }
}
