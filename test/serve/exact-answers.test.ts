import { APIError, type OpenAI, RateLimitError } from 'openai';
import { describe, expect, it } from 'vitest';
import { ask, stream, textsOf } from './ask.ts';
import { recordAct } from './recorded-agent.ts';
import { chunkEvent, completion, questionOf, type Script, sendJson } from './scripted-provider.ts';
import { rejectionOf, serving } from './served.ts';

const echo: Script = (response, body) => sendJson(response, completion(questionOf(body)));

describe('a recorded answer', () => {
  it('is served with its body, status and headers, and reported as reproduced', async () => {
    const act = (client: OpenAI) =>
      client.chat.completions
        .create({ model: 'gpt-5-mini', messages: [{ role: 'user', content: 'hello' }] })
        .withResponse();
    const recording = await recordAct(echo, act);
    const { value, report } = await serving(recording, act);
    expect(value.data).toMatchObject(completion('hello'));
    expect(value.request_id).toBe('req_77');
    expect(value.response.status).toBe(200);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, scope: 'model-calls', divergences: [] });
    expect(report.counts).toMatchObject({ recorded: 1, stubbed: 1, compared: 1, unconsumed: 0 });
  });

  it('is served to tool loops turn by turn', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'now', arguments: '{ "zone" : "UTC" }' } };
    const asked = { ...completion('tools'), choices: [toolChoice(call)] };
    const script: Script = (response, _body, number) => sendJson(response, number === 0 ? asked : completion('noon'));
    const act = async (client: OpenAI): Promise<string | null | undefined> => {
      const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'What time is it?' }];
      const first = await client.chat.completions.create({ model: 'm', messages });
      const message = first.choices[0]?.message;
      if (message === undefined) return undefined;
      messages.push(message, { role: 'tool', tool_call_id: message.tool_calls?.[0]?.id ?? '', content: '12:00' });
      const second = await client.chat.completions.create({ model: 'm', messages });
      return second.choices[0]?.message.content;
    };
    const recording = await recordAct(script, act);
    const { value, report } = await serving(recording, act);
    expect(value).toBe('noon');
    expect(report).toMatchObject({ exitCode: 0, counts: { stubbed: 2, compared: 2 } });
  });

  it('is served for responses and embeddings too', async () => {
    const script: Script = (response, body) =>
      body.includes('"input":"embed"')
        ? sendJson(response, { object: 'list', data: [{ object: 'embedding', index: 0, embedding: [0.25, -1] }] })
        : sendJson(response, { id: 'resp_1', object: 'response', status: 'completed', output: [] });
    const act = async (client: OpenAI): Promise<unknown> => {
      const vectors = await client.embeddings.create({ model: 'e', input: 'embed', encoding_format: 'float' });
      const response = await client.responses.create({ model: 'm', input: 'hi' });
      return [vectors.data[0]?.embedding, response.id];
    };
    const { value, report } = await serving(await recordAct(script, act), act);
    expect(value).toEqual([[0.25, -1], 'resp_1']);
    expect(report).toMatchObject({ exitCode: 0, counts: { stubbed: 2, unconsumed: 0 } });
  });
});

function toolChoice(call: unknown): Record<string, unknown> {
  return {
    index: 0,
    message: { role: 'assistant', content: null, refusal: null, tool_calls: [call] },
    finish_reason: 'tool_calls',
  };
}

describe('a recorded failure', () => {
  it('is served again with its status, code and headers', async () => {
    const error = { message: 'slow down', type: 'requests', param: null, code: 'rate_limit_exceeded' };
    const script: Script = (response) => sendJson(response, { error }, 429, { 'retry-after-ms': '1' });
    const act = (client: OpenAI) => ask(client, 'again?');
    const recording = await recordAct(script, act, { maxRetries: 0 });
    const { value, report } = await serving(recording, (client) => rejectionOf(act(client)), { maxRetries: 0 });
    expect(value).toBeInstanceOf(RateLimitError);
    expect(value).toMatchObject({ status: 429, code: 'rate_limit_exceeded', requestID: 'req_77' });
    expect(report.exitCode).toBe(0);
  });

  it('is followed by what the retry was given, one recorded attempt after the other', async () => {
    const script: Script = (response, body, number) =>
      number < 2
        ? sendJson(response, { error: { message: 'busy' } }, 503, { 'retry-after-ms': '1' })
        : sendJson(response, completion(questionOf(body)));
    const act = (client: OpenAI) => ask(client, 'third time lucky');
    const recording = await recordAct(script, act);
    const { value, report } = await serving(recording, act);
    expect(value).toBe('third time lucky');
    expect(report).toMatchObject({ exitCode: 0, counts: { recorded: 1, stubbed: 1 } });
    expect(report.notes.join(' ')).not.toMatch(/attempts/);
  });

  it('says so when the client gives up earlier, and when it tries more often', async () => {
    const script: Script = (response) =>
      sendJson(response, { error: { message: 'busy' } }, 503, { 'retry-after-ms': '1' });
    const act = (client: OpenAI) => rejectionOf(ask(client, 'again?'));
    const recording = await recordAct(script, act, { maxRetries: 1 });
    const fewer = await serving(recording, act, { maxRetries: 0 });
    expect(fewer.report.notes.join(' ')).toMatch(/recorded with 2 attempts, and the client made 1/);
    const more = await serving(recording, act, { maxRetries: 2 });
    expect(more.value).toMatchObject({ status: 404, code: 'reenact_exhausted' });
    expect(more.report.divergences.map(({ kind }) => kind)).toEqual(['exhausted']);
    expect(more.report.exitCode).toBe(1);
  });

  it('cuts a stream at the same place', async () => {
    const script: Script = async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunkEvent('half a '));
      await new Promise((resolve) => response.write(chunkEvent('sentence'), resolve));
      response.destroy();
    };
    const act = async (client: OpenAI): Promise<string[]> => {
      const texts: string[] = [];
      try {
        for await (const chunk of await stream(client, 'go')) texts.push(chunk.choices[0]?.delta.content ?? '');
      } catch (error) {
        texts.push(error instanceof APIError || error instanceof TypeError ? 'cut' : 'other');
      }
      return texts;
    };
    const { value, report } = await serving(await recordAct(script, act), act);
    expect(value).toEqual(['half a ', 'sentence', 'cut']);
    expect(report.exitCode).toBe(0);
  });
});

describe('a recorded stream', () => {
  it('is served event by event', async () => {
    const words = ['One', ' two', ' Möwe', ' 🦉'];
    const script: Script = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const word of words) response.write(chunkEvent(word));
      response.end(`${chunkEvent('', 'stop')}data: [DONE]\n\n`);
    };
    const act = async (client: OpenAI): Promise<string[]> => textsOf(await stream(client, 'count'));
    const { value, report } = await serving(await recordAct(script, act), act);
    expect(value).toEqual([...words, '']);
    expect(report).toMatchObject({ exitCode: 0, divergences: [] });
  });

  it('may be left by its client in the middle, and the next request is answered all the same', async () => {
    const script: Script = (response, body) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let index = 0; index < 50; index += 1) response.write(chunkEvent(`${questionOf(body)} ${index}`));
      response.end('data: [DONE]\n\n');
    };
    const whole = async (client: OpenAI, question: string): Promise<string[]> =>
      textsOf(await stream(client, question));
    const recording = await recordAct(script, async (client) => {
      await whole(client, 'first');
      await whole(client, 'second');
    });
    const { value, report } = await serving(recording, async (client) => {
      for await (const chunk of await stream(client, 'first')) {
        if (chunk.choices[0]?.delta.content === 'first 1') break;
      }
      return whole(client, 'second');
    });
    expect(value).toHaveLength(50);
    expect(report).toMatchObject({ exitCode: 0, counts: { stubbed: 2 } });
  });
});
