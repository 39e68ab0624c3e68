import Anthropic from '@anthropic-ai/sdk';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { instrumentAnthropic } from '@reenact/instrumentation-anthropic';
import { type ReplayResult, type ReplaySettings, replay } from '@reenact/replay';
import type { Recording } from '@reenact/trace-model';
import fc from 'fast-check';
import { agent } from 'reenact';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type AnthropicAct,
  anthropicClientOf,
  anthropicRequest,
  callBlock,
  recordAnthropic,
  saying,
  textBlock,
  thinkingBlock,
} from '../../serve/anthropic-agent.ts';
import { startScriptedProvider } from '../../serve/scripted-provider.ts';

const asks: AnthropicAct = async (client) => client.messages.create(anthropicRequest);
const streams: AnthropicAct = (client) => client.messages.stream(anthropicRequest).finalMessage();
const order = { name: 'place_order', arguments: { shares: 5 } };
const nowhere = 'http://127.0.0.1:9';

async function replayed(
  recording: Recording,
  act: AnthropicAct,
  settings: Omit<ReplaySettings, 'recording'>,
  liveUrl = nowhere,
): Promise<ReplayResult<unknown>> {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const client = instrumentAnthropic(anthropicClientOf(liveUrl));
  try {
    return await replay({ ...settings, recording, run: () => agent('asker', () => act(client))() });
  } finally {
    context.disable();
  }
}

interface Edit {
  readonly at: string;
  readonly value: unknown;
}

async function edited(recording: Recording, act: AnthropicAct, edits: readonly Edit[]): Promise<Anthropic.Message> {
  const edit = edits.map((item) => ({ selector: 'model:anthropic.messages', ...item }));
  const { value, error, edits: reported } = await replayed(recording, act, { edit });
  expect(error).toBeUndefined();
  expect(reported).toHaveLength(1);
  return value as Anthropic.Message;
}

let said: Recording;
let asked: Recording;

describe.each([
  ['as JSON', asks],
  ['as a stream', streams],
] as const)('an edited message %s', (_, act) => {
  beforeAll(async () => {
    const call = callBlock('toolu_1', 'get_quote', { symbol: 'ACME' });
    said = await recordAnthropic(saying([thinkingBlock, textBlock('I sell 1,000 shares — été.')]), act);
    asked = await recordAnthropic(saying([thinkingBlock, textBlock('Let me look.'), call]), act);
  });

  it('says another text; thinking, usage and id stay', async () => {
    const message = await edited(said, act, [{ at: 'text', value: 'No.' }]);
    expect(message).toMatchObject({ id: 'msg_1', stop_reason: 'end_turn', usage: { input_tokens: 9 } });
    expect(message.content).toEqual([thinkingBlock, { type: 'text', text: 'No.' }]);
  });

  it('says any text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), async (text) => {
        expect((await edited(said, act, [{ at: 'text', value: text }])).content.at(-1)).toEqual(textBlock(text));
      }),
      { numRuns: 15 },
    );
  });

  it('asks for tools instead of saying something', async () => {
    const message = await edited(said, act, [
      { at: 'text', value: '' },
      { at: 'toolCalls', value: [order, { ...order, id: 'own', arguments: '{ "shares" : 6 }' }] },
    ]);
    expect(message.stop_reason).toBe('tool_use');
    expect(message.content).toEqual([
      thinkingBlock,
      callBlock('toolu_edited_1', 'place_order', { shares: 5 }),
      callBlock('own', 'place_order', { shares: 6 }),
    ]);
  });

  it('asks for another tool under the recorded id, or for none', async () => {
    const other = await edited(asked, act, [{ at: 'toolCalls', value: [order] }]);
    expect(other.content.slice(1)).toEqual([
      textBlock('Let me look.'),
      callBlock('toolu_1', 'place_order', { shares: 5 }),
    ]);
    const none = await edited(asked, act, [{ at: 'toolCalls', value: [] }]);
    expect(none).toMatchObject({ stop_reason: 'end_turn', content: [thinkingBlock, textBlock('Let me look.')] });
  });

  it('keeps its tool calls where only the text is edited, or taken away', async () => {
    const call = callBlock('toolu_1', 'get_quote', { symbol: 'ACME' });
    const told = await edited(asked, act, [{ at: 'text', value: 'Now.' }]);
    expect(told).toMatchObject({ stop_reason: 'tool_use', content: [thinkingBlock, textBlock('Now.'), call] });
    const silent = await edited(asked, act, [{ at: 'text', value: '' }]);
    expect(silent.content).toEqual([thinkingBlock, call]);
  });
});

describe('a field of a message, and an event of a stream', () => {
  it('are edited where they are', async () => {
    const json = await recordAnthropic(saying([textBlock('Yes.')]), asks);
    const field = await edited(json, asks, [{ at: '$.usage.output_tokens', value: 7 }]);
    expect(field.usage.output_tokens).toBe(7);
    const stream = await recordAnthropic(saying([textBlock('Yes.')]), streams);
    const event = await edited(stream, streams, [{ at: 'chunks[3].delta.text', value: 'No.' }]);
    expect(event.content).toEqual([textBlock('No.')]);
  });
});

describe('a messages call that fails by plan', () => {
  it.each([
    [429, Anthropic.RateLimitError, 'rate_limit_error'],
    [529, Anthropic.InternalServerError, 'overloaded_error'],
    [400, Anthropic.BadRequestError, 'invalid_request_error'],
  ])('with %i has the body of the provider', async (status, type, errorType) => {
    const recording = await recordAnthropic(saying([textBlock('Yes.')]), asks);
    const failure = { type: 'status', status, headers: { 'retry-after-ms': '1' } } as const;
    const { error } = await replayed(recording, asks, { fail: [{ selector: 'model:*', with: failure }] });
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ status, error: { type: 'error', error: { type: errorType } } });
  });
});

describe('a messages call whose input is edited', () => {
  it('runs live with the other model and prompt', async () => {
    const recording = await recordAnthropic(saying([textBlock('I sell 1,000 shares.')]), asks);
    const bodies: unknown[] = [];
    const provider = await startScriptedProvider((response, body) => {
      bodies.push(JSON.parse(body));
      return saying([textBlock('I sell 5 shares.')])(response, body, 0);
    });
    const selector = 'model:anthropic.messages';
    const edit = [
      { selector, at: 'input.model', value: 'claude-opus-5' },
      { selector, at: 'input.messages[0].content', value: 'Sell 5 shares.' },
    ];
    const result = await replayed(recording, asks, { edit }, provider.baseUrl);
    await provider.stop();
    expect(bodies).toEqual([
      { ...anthropicRequest, model: 'claude-opus-5', messages: [{ role: 'user', content: 'Sell 5 shares.' }] },
    ]);
    expect(result.value).toMatchObject({ content: [textBlock('I sell 5 shares.')] });
    const found = result.divergences.find(({ kind }) => kind === 'output-changed');
    expect(found).toMatchObject({ path: 'agent:asker/model:anthropic.messages', causedBy: { divergence: 'e1' } });
    expect(JSON.stringify(found?.difference)).toContain('$.content[0].text');
  });
});
