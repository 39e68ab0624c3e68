import type { Recording } from '@reenact/trace-model';
import fc from 'fast-check';
import type OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Act, recordAct } from '../../serve/recorded-agent.ts';
import {
  callItem,
  chatAnswer,
  chatCall,
  chatStream,
  events,
  json,
  messageItem,
  question,
  reasoningItem,
  responseAnswer,
  responseStream,
} from './answers.ts';
import { replayAct } from './replayed-act.ts';

const model = 'gpt-5-mini';
const order = { name: 'place_order', arguments: { shares: 5 } };

/** Asks once and gives the whole answer, put together by the client itself. */
const asksChat: Act = async (client) => client.chat.completions.create({ model, messages: question });
const streamsChat: Act = (client) =>
  client.chat.completions
    .stream({ model, messages: question, stream_options: { include_usage: true } })
    .finalChatCompletion();
const asksResponse: Act = async (client) => client.responses.create({ model, input: 'Sell $1,000 worth.' });
const streamsResponse: Act = async (client) => {
  const stream = client.responses.stream({ model, input: 'Sell $1,000 worth.' });
  const numbers: number[] = [];
  for await (const event of stream) numbers.push(event.sequence_number);
  expect(numbers).toEqual(numbers.map((_, index) => index));
  return await stream.finalResponse();
};

async function edited(recording: Recording, act: Act, edit: object[]): Promise<unknown> {
  const label = recording.crossings.find(({ kind }) => kind === 'model')?.name ?? '';
  const edits = edit.map((item) => ({ selector: `model:${label}`, ...item })) as {
    selector: string;
    at: string;
    value: unknown;
  }[];
  const { value, error, edits: reported } = await replayAct(recording, act, { edit: edits });
  expect(error).toBeUndefined();
  expect(reported).toHaveLength(1);
  return value;
}

const chatFramings = [
  [
    'as JSON',
    asksChat,
    json(chatAnswer('I sell 1,000 shares.')),
    json(chatAnswer(null, [chatCall('call_1', 'get_quote', { symbol: 'ACME' })])),
  ],
  [
    'as a stream',
    streamsChat,
    events(chatStream(['I sell ', '1,000 ', 'shares — été.'])),
    events(chatStream([], [chatCall('call_1', 'get_quote', { symbol: 'ACME' })])),
  ],
] as const;

describe('an edited chat completion', () => {
  type Completion = OpenAI.Chat.ChatCompletion;

  describe.each(chatFramings)('%s', (_, act, says, asks) => {
    let said: Recording;
    let asked: Recording;
    beforeAll(async () => {
      said = await recordAct(says, act);
      asked = await recordAct(asks, act);
    });

    it('says another text; usage and ids stay', async () => {
      const answer = (await edited(said, act, [{ at: 'text', value: 'No.' }])) as Completion;
      expect(answer).toMatchObject({ id: 'chatcmpl-1', usage: { total_tokens: 12 }, model: 'gpt-5-mini-2026-08-07' });
      expect(answer.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'No.' } });
    });

    it('says any text', async () => {
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 40 }), async (text) => {
          const answer = (await edited(said, act, [{ at: 'text', value: text }])) as Completion;
          expect(answer.choices[0]?.message.content ?? '').toBe(text);
        }),
        { numRuns: 15 },
      );
    });

    it('asks for tools instead of saying something', async () => {
      const answer = (await edited(said, act, [
        { at: 'text', value: '' },
        { at: 'toolCalls', value: [order, { ...order, id: 'own' }] },
      ])) as Completion;
      const [choice] = answer.choices;
      expect(choice?.finish_reason).toBe('tool_calls');
      expect(choice?.message.tool_calls).toMatchObject([
        { id: 'call_edited_1', type: 'function', function: { name: 'place_order', arguments: '{"shares":5}' } },
        { id: 'own', function: { arguments: '{"shares":5}' } },
      ]);
    });

    it('asks for another tool under the recorded id, or for none', async () => {
      const other = (await edited(asked, act, [{ at: 'toolCalls', value: [order] }])) as Completion;
      expect(other.choices[0]?.message.tool_calls).toMatchObject([{ id: 'call_1', function: { name: 'place_order' } }]);
      const none = (await edited(asked, act, [
        { at: 'toolCalls', value: [] },
        { at: 'text', value: 'Done.' },
      ])) as Completion;
      expect(none.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'Done.' } });
      expect(none.choices[0]?.message.tool_calls ?? []).toEqual([]);
    });

    it('keeps its tool calls where only the text is edited', async () => {
      const answer = (await edited(asked, act, [{ at: 'text', value: 'Let me look.' }])) as Completion;
      expect(answer.choices[0]).toMatchObject({
        finish_reason: 'tool_calls',
        message: {
          content: 'Let me look.',
          tool_calls: [{ id: 'call_1', function: { arguments: '{"symbol":"ACME"}' } }],
        },
      });
    });
  });
});

describe('an edited response', () => {
  type Answer = OpenAI.Responses.Response;
  const says = [reasoningItem, messageItem('I sell 1,000 shares now.')];
  const asks = [reasoningItem, callItem('call_1', 'get_quote', { symbol: 'ACME' })];
  const framings = [
    ['as JSON', asksResponse, json(responseAnswer(says)), json(responseAnswer(asks))],
    ['as a stream', streamsResponse, events(responseStream(says)), events(responseStream(asks))],
  ] as const;

  describe.each(framings)('%s', (_, act, saying, asking) => {
    let said: Recording;
    let asked: Recording;
    beforeAll(async () => {
      said = await recordAct(saying, act);
      asked = await recordAct(asking, act);
    });

    it('says another text; the reasoning before it stays', async () => {
      const answer = (await edited(said, act, [{ at: 'text', value: 'No, I will not.' }])) as Answer;
      expect(answer).toMatchObject({
        id: 'resp_1',
        status: 'completed',
        output_text: 'No, I will not.',
        usage: { total_tokens: 12 },
      });
      expect(answer.output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
      expect(answer.output[0]).toMatchObject({ encrypted_content: 'c2lnbmVk' });
    });

    it('asks for tools, under the recorded id where there is one', async () => {
      const added = (await edited(said, act, [{ at: 'toolCalls', value: [order] }])) as Answer;
      expect(added.output.at(-1)).toMatchObject({
        type: 'function_call',
        call_id: 'call_edited_1',
        arguments: '{"shares":5}',
      });
      const changed = (await edited(asked, act, [{ at: 'toolCalls', value: [order] }])) as Answer;
      expect(changed.output.at(-1)).toMatchObject({ id: 'fc_call_1', call_id: 'call_1', name: 'place_order' });
    });

    it('says something instead of asking for a tool', async () => {
      const answer = (await edited(asked, act, [
        { at: 'toolCalls', value: [] },
        { at: 'text', value: 'Done.' },
      ])) as Answer;
      expect(answer.output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
      expect(answer.output_text).toBe('Done.');
    });
  });
});
