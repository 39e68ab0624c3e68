import type { Recording } from '@reenact/trace-model';
import OpenAI from 'openai';
import { tool } from 'reenact';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Act, recordAct } from '../../serve/recorded-agent.ts';
import { chatAnswer, chatStream, events, json, question } from './answers.ts';
import { Broker, brokerScript } from './broker.ts';
import { replayAct } from './replayed-act.ts';

const model = 'gpt-5-mini';
const asks: Act = async (client) =>
  (await client.chat.completions.create({ model, messages: question })).choices[0]?.message.content;
const streams: Act = async (client) => {
  const words: string[] = [];
  try {
    for await (const chunk of await client.chat.completions.create({ model, messages: question, stream: true })) {
      words.push(chunk.choices[0]?.delta.content ?? '');
    }
  } catch (error) {
    return { words, failed: (error as Error).constructor.name };
  }
  return { words };
};

let broker: Recording;
let asked: Recording;
let streamed: Recording;

beforeAll(async () => {
  broker = await recordAct(brokerScript, new Broker().act);
  asked = await recordAct(json(chatAnswer('Yes.')), asks);
  streamed = await recordAct(events(chatStream(['one ', 'two ', 'three'])), streams);
});

describe('a tool that fails by plan', () => {
  it('throws an error of a class, code and status', async () => {
    const fail = [
      {
        selector: 'tool:get_quote',
        with: { type: 'error', error: { class: 'BrokerError', message: 'no', code: 'X', status: 503 } },
      },
    ] as const;
    const report = await replayAct(broker, new Broker().act, { fail: [...fail] });
    expect(report.edits).toMatchObject([{ policy: 'fail', path: 'agent:asker/tool:get_quote' }]);
    expect(report.edits[0]?.difference).toContainEqual({
      path: '$.threw',
      live: expect.stringContaining('"code":"X","status":503'),
    });
    expect(report).toMatchObject({ exitCode: 1, value: { price: 0 } });
    expect(report.divergences.every(({ causedBy }) => causedBy?.divergence === 'e1')).toBe(true);
  });

  it('times out as the platform does, and breaks off in the middle of a stream', async () => {
    const late = await replayAct(broker, new Broker().act, { fail: ['tool:ticks:timeout'] });
    expect(late.divergences[0]?.difference?.[0]?.live).toContain('last TimeoutError');
    const cut = await replayAct(broker, new Broker().act, { fail: ['tool:ticks:truncate=1'] });
    expect(cut.divergences[0]?.difference?.[0]?.live).toContain('last Error');
    expect(cut.edits[0]).toMatchObject({ policy: 'fail' });
  });
});

describe('a tool that gave a response', () => {
  const download = tool('download', async (name: string) => Response.json({ name }));
  const downloads: Act = async () => {
    const [first, second] = [await download('a'), await download('b')];
    return [first.status, await first.text(), second.status, await second.text()];
  };

  it('fails once by plan, and is named by its number where only one of its calls is to fail', async () => {
    const recording = await recordAct(json({}), downloads);
    const status = { type: 'status', status: 503, body: { error: 'busy' } } as const;
    const attempts = replayAct(recording, downloads, {
      fail: [{ selector: 'tool:download', with: status, attempts: 2 }],
    });
    await expect(attempts).rejects.toMatchObject({ code: 'bad-plan', message: expect.stringContaining('attempts') });
    const report = await replayAct(recording, downloads, { fail: [{ selector: 'tool:download#1', with: status }] });
    expect(report.value).toEqual([503, '{"error":"busy"}', 200, '{"name":"b"}']);
    expect(report.edits).toMatchObject([{ policy: 'fail', path: expect.stringContaining('tool:download') }]);
  });
});

describe('a model call that fails by plan', () => {
  it('is answered with a status until the client gives up, and sends nothing', async () => {
    const report = await replayAct(asked, asks, {
      fail: [{ selector: 'model:*', with: { type: 'status', status: 429, headers: { 'retry-after-ms': '1' } } }],
    });
    expect(report.error).toBeInstanceOf(OpenAI.RateLimitError);
    expect(report.error).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    expect(report.edits).toMatchObject([{ policy: 'fail', path: 'agent:asker/model:openai.chat' }]);
    expect(report.divergences).toMatchObject([{ kind: 'outcome-changed', causedBy: { divergence: 'e1' } }]);
  });

  it('fails for some attempts, and is answered as recorded after them', async () => {
    const report = await replayAct(asked, asks, {
      fail: [
        { selector: 'model:*', with: { type: 'status', status: 500, headers: { 'retry-after-ms': '1' } }, attempts: 2 },
      ],
    });
    expect(report).toMatchObject({ value: 'Yes.', verdict: 'reproduced', divergences: [] });
    const message =
      'the first 2 attempts of agent:asker/model:openai.chat fail; one after that is answered as recorded';
    expect(report.edits).toMatchObject([{ policy: 'fail', message: expect.stringContaining(message) }]);
  });

  it('times out, or loses its connection', async () => {
    const late = await replayAct(asked, asks, { fail: ['model:openai.chat:timeout'] });
    expect(late.error).toBeInstanceOf(OpenAI.APIConnectionTimeoutError);
    const lost = await replayAct(asked, asks, { fail: ['model:openai.chat:error'] });
    expect(lost.error).toBeInstanceOf(OpenAI.APIConnectionError);
    expect(lost.error).not.toBeInstanceOf(OpenAI.APIConnectionTimeoutError);
  });

  it('breaks off in the middle of its stream', async () => {
    const report = await replayAct(streamed, streams, { fail: ['model:openai.chat:truncate=3'] });
    expect(report.value).toMatchObject({ words: ['', 'one ', 'two '], failed: 'TypeError' });
  });
});
