import Anthropic, { APIError } from '@anthropic-ai/sdk';
import { assembleRecording } from '@reenact/dialects';
import { fromMap } from '@reenact/otlp';
import { serveRecording } from '@reenact/replay';
import {
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_PROVIDER_NAME,
  ATTR_GEN_AI_REQUEST_MODEL,
} from '@reenact/semconv/gen-ai';
import type { Recording } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import {
  type AnthropicAct,
  anthropicRequest,
  callBlock,
  messageOf,
  recordAnthropic,
  saying,
  textBlock,
  thinkingBlock,
} from './anthropic-agent.ts';
import type { Script } from './scripted-provider.ts';
import { rejectionOf, type Served } from './served.ts';

/** Serves a recording to an act with the client as it comes, pointed there by its environment alone. */
async function serving<Value>(
  recording: Recording,
  act: (client: Anthropic) => Promise<Value>,
): Promise<Served<Value>> {
  const provider = await serveRecording({ recording });
  try {
    const { ANTHROPIC_BASE_URL: baseURL, ANTHROPIC_API_KEY: apiKey } = provider.environment;
    const value = await act(new Anthropic({ baseURL, apiKey, logLevel: 'off' }));
    return { value, report: provider.report() };
  } finally {
    await provider.stop();
  }
}

function asking(content: string): Anthropic.MessageCreateParamsNonStreaming {
  return { ...anthropicRequest, messages: [{ role: 'user', content }] };
}

const content = [thinkingBlock, textBlock('Möwe 🦉 sold.'), callBlock('toolu_1', 'price', { symbol: 'ACME' })];

describe('a recorded message', () => {
  it('is served with its body, status and headers, and reported as reproduced', async () => {
    const act = (client: Anthropic) => client.messages.create(anthropicRequest).withResponse();
    const { value, report } = await serving(await recordAnthropic(saying(content), act), act);
    expect(value.data).toMatchObject(messageOf(content));
    expect(value.request_id).toBe('req_7');
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, scope: 'model-calls', divergences: [] });
    expect(report.counts).toMatchObject({ recorded: 1, stubbed: 1, compared: 1, unconsumed: 0 });
  });

  it('is served as the stream it was, event by event', async () => {
    const act = async (client: Anthropic): Promise<unknown> => {
      const stream = client.messages.stream(anthropicRequest);
      const types: string[] = [];
      for await (const event of stream) types.push(event.type);
      return [types, await stream.finalMessage()];
    };
    const seen: unknown[] = [];
    const recording = await recordAnthropic(saying(content), async (client) => {
      seen.push(await act(client));
    });
    const { value, report } = await serving(recording, act);
    expect(JSON.stringify([value])).toBe(JSON.stringify(seen));
    expect(JSON.stringify(value)).toContain('Möwe 🦉 sold.');
    expect(report).toMatchObject({ exitCode: 0, divergences: [] });
  });

  it('is served to a tool loop turn by turn', async () => {
    const script: Script = (response, body, number) =>
      saying(number === 0 ? content : [textBlock('190.')])(response, body, 0);
    const act = async (client: Anthropic): Promise<unknown> => {
      const first = await client.messages.create(anthropicRequest);
      const result = { type: 'tool_result' as const, tool_use_id: 'toolu_1', content: '190' };
      const turns: Anthropic.MessageParam[] = [
        ...anthropicRequest.messages,
        { role: 'assistant', content: first.content },
        { role: 'user', content: [result] },
      ];
      return (await client.messages.create({ ...anthropicRequest, messages: turns })).content;
    };
    const { value, report } = await serving(await recordAnthropic(script, act), act);
    expect(value).toEqual([textBlock('190.')]);
    expect(report).toMatchObject({ exitCode: 0, counts: { stubbed: 2, compared: 2 } });
  });
});

describe('a recorded failure', () => {
  it('is followed by what the retry was given', async () => {
    const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    const script: Script = (response, body, number) => {
      if (number > 0) return saying([textBlock('At last.')])(response, body, 0);
      response.writeHead(529, { 'content-type': 'application/json', 'retry-after-ms': '1' });
      return response.end(JSON.stringify(overloaded));
    };
    const act: AnthropicAct = async (client) => (await client.messages.create(anthropicRequest)).content;
    const { value, report } = await serving(await recordAnthropic(script, act), act);
    expect(value).toEqual([textBlock('At last.')]);
    expect(report).toMatchObject({ exitCode: 0, counts: { recorded: 1, stubbed: 1 } });
    expect(report.notes.join(' ')).not.toMatch(/attempts/);
  });
});

describe('a request that differs', () => {
  it('is answered from the recording and reported with its path and both values', async () => {
    const recording = await recordAnthropic(saying(content), (client) => client.messages.create(asking('sell $1,000')));
    const { report } = await serving(recording, (client) => client.messages.create(asking('sell 1,000')));
    expect(report).toMatchObject({ verdict: 'diverged', exitCode: 1 });
    expect(report.divergences).toMatchObject([
      {
        kind: 'input-changed',
        path: 'agent:asker/model:anthropic.messages',
        difference: [{ path: '$.messages[0].content', recorded: '"sell $1,000"', live: '"sell 1,000"' }],
      },
    ]);
  });

  it('that was never recorded is refused once, in the format of the provider', async () => {
    const recording = await recordAnthropic(saying(content), (client) => client.messages.create(asking('once')));
    const { value, report } = await serving(recording, async (client) => {
      await client.messages.create(asking('once'));
      return rejectionOf(client.messages.create(asking('once')));
    });
    expect(value).toBeInstanceOf(Anthropic.NotFoundError);
    expect(value instanceof APIError ? value.error : undefined).toMatchObject({
      type: 'error',
      error: { type: 'reenact_exhausted' },
    });
    expect(report.divergences.map(({ kind }) => kind)).toEqual(['exhausted']);
    expect(report.exitCode).toBe(1);
  });
});

describe('a call of Anthropic that another instrumentation recorded', () => {
  it('is refused before the agent runs: its bytes are not known', async () => {
    const message = (role: string, said: string): string =>
      JSON.stringify([{ role, parts: [{ type: 'text', content: said }], finish_reason: 'stop' }]);
    const span = {
      traceId: '1'.repeat(32),
      spanId: '2'.repeat(16),
      name: 'chat claude-sonnet-5',
      kind: 3 as const,
      startTimeUnixNano: '1000',
      endTimeUnixNano: '2000',
      attributes: fromMap(
        Object.entries({
          [ATTR_GEN_AI_OPERATION_NAME]: 'chat',
          [ATTR_GEN_AI_PROVIDER_NAME]: 'anthropic',
          [ATTR_GEN_AI_REQUEST_MODEL]: 'claude-sonnet-5',
          [ATTR_GEN_AI_INPUT_MESSAGES]: message('user', 'hello'),
          [ATTR_GEN_AI_OUTPUT_MESSAGES]: message('assistant', 'Hello.'),
        }),
      ),
    };
    const recording = assembleRecording({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
    await expect(serveRecording({ recording })).rejects.toMatchObject({
      code: 'cold-case',
      message: expect.stringContaining('anthropic.messages cannot be put together from GenAI attributes'),
    });
  });
});
