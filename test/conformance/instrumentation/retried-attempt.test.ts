import { setTimeout as pause } from 'node:timers/promises';
import { OpenAIInstrumentation } from '@reenact/instrumentation-openai';
import OpenAI, * as openai from 'openai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HttpPeer } from './peers/http-peer.ts';
import { recordThenReplay } from './record-then-replay.ts';

const instrumentation = new OpenAIInstrumentation();
const answer = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-4o',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hold' }, finish_reason: 'stop' }],
};
let peer: HttpPeer;

beforeAll(async () => {
  instrumentation.patchModule(openai);
  instrumentation.enable();
  // The first attempt is never answered; of the next the body comes well behind the headers.
  peer = await HttpPeer.start(async (response, { number }) => {
    if (number === 0) return;
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    await pause(30);
    response.end(JSON.stringify(answer));
  });
});

afterAll(async () => {
  instrumentation.disable();
  await peer.stop();
});

/** On a busy machine an answer takes too long once more. */
async function untilAnswered(client: OpenAI): Promise<unknown> {
  for (;;) {
    try {
      const asked = { model: 'gpt-4o', messages: [{ role: 'user' as const, content: 'sell?' }] };
      return (await client.chat.completions.create(asked)).choices[0]?.message.content;
    } catch (error) {
      if (!(error instanceof openai.APIConnectionTimeoutError)) throw error;
    }
  }
}

it('has the time that its client gives it for the body of an answer, after an attempt that took too long', async () => {
  const baseURL = `${peer.address}/v1`;
  // Shorter than the client waits before it asks again.
  const client = new OpenAI({ apiKey: 'k', baseURL, timeout: 300, maxRetries: 8, logLevel: 'off' });
  const run = () => untilAnswered(client);
  const { recorded, report, contactsInReplay } = await recordThenReplay(peer, run, { recordsDraws: true });
  expect(recorded).toBe('hold');
  expect(report.value).toBe(recorded);
  expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
  expect(contactsInReplay).toBe(0);
});
