import { readFileSync } from 'node:fs';
import { assembleRecording } from '@reenact/dialects';
import type { LogsData, TracesData } from '@reenact/otlp';
import { checkReplayable, makePlan, serveRecording } from '@reenact/replay';
import type { Recording } from '@reenact/trace-model';
import type { OpenAI } from 'openai';
import { describe, expect, it } from 'vitest';
import { rejectionOf, serving } from './served.ts';

const folder = new URL('../../packages/dialects/src/otel-genai/testdata/', import.meta.url);

/** Telemetry of a real Python agent, as OpenTelemetry's own instrumentation sent it. */
function pythonRecording(name: string): Recording {
  const { traces, logs } = JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as {
    traces: TracesData;
    logs: LogsData;
  };
  return assembleRecording(traces, logs);
}

const tools: OpenAI.ChatCompletionTool[] = [
  tool('find_order', 'Finds an order by its number.', ['number']),
  tool('track_parcel', 'Says where a parcel is.', ['carrier', 'parcel']),
];

function tool(name: string, description: string, required: string[]): OpenAI.ChatCompletionTool {
  const properties = Object.fromEntries(required.map((key) => [key, { type: 'string' }]));
  return { type: 'function', function: { name, description, parameters: { type: 'object', properties, required } } };
}

function opening(instructions: string): OpenAI.ChatCompletionMessageParam[] {
  return [
    { role: 'system', content: instructions },
    { role: 'user', content: 'Where is my order 4711?' },
  ];
}

const instructions = 'You help customers of a shop. Look the order up, then answer in one sentence.';

/** The first turn of the recorded agent, written in another language. */
function firstTurn(client: OpenAI, more: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {}) {
  return client.chat.completions.create({
    model: 'gpt-4o-mini',
    messages: opening(instructions),
    tools,
    temperature: 0.2,
    max_tokens: 300,
    ...more,
  });
}

/** All three turns; the last two streamed, as recorded. */
async function wholeRun(client: OpenAI): Promise<unknown> {
  const first = await firstTurn(client);
  const message = first.choices[0]?.message;
  const order = '{"carrier":"Möwe Express","number":"4711","parcel":"PX-77","total":49.5}';
  const messages = [...opening(instructions), ...turn(message?.tool_calls?.[0], order)];
  const second = await client.chat.completions.stream({ model: 'gpt-4o-mini', messages, tools, temperature: 0.2 });
  const call = (await second.finalMessage()).tool_calls?.[0];
  const parcel = '{"parcel":"PX-77","status":"out for delivery","since":"2026-11-17T08:05:00Z"}';
  messages.push(...turn(call, parcel));
  const options = { stream_options: { include_usage: true } };
  const third = client.chat.completions.stream({ model: 'gpt-4o-mini', messages, tools, temperature: 0.2, ...options });
  const answer = await third.finalChatCompletion();
  return { first, call, answer };
}

function turn(
  call: OpenAI.ChatCompletionMessageToolCall | undefined,
  content: string,
): OpenAI.ChatCompletionMessageParam[] {
  if (call === undefined) throw new TypeError('there is no tool call');
  return [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: call.id, content },
  ];
}

describe('answers rebuilt from GenAI attributes', () => {
  it.each(['span-attributes', 'log-events', 'legacy-log-events'])(
    'are whole for a client library (%s)',
    async (name) => {
      const { value, report } = await serving(pythonRecording(name), wholeRun);
      expect(value).toMatchObject({
        first: {
          object: 'chat.completion',
          id: expect.stringMatching(/^chatcmpl-/),
          model: 'gpt-4o-mini',
          choices: [{ index: 0, finish_reason: 'tool_calls', message: { role: 'assistant', content: null } }],
          usage: { prompt_tokens: 120, completion_tokens: 18, total_tokens: 138 },
        },
        call: { id: 'call_parcel', function: { name: 'track_parcel' } },
        answer: {
          choices: [
            { message: { content: 'Your order 4711 is out for delivery with Möwe Express.' }, finish_reason: 'stop' },
          ],
          usage: { prompt_tokens: 190, completion_tokens: 15 },
        },
      });
      expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], counts: { recorded: 3, stubbed: 3 } });
      expect(report.notes.join(' ')).toMatch(/3 of 3 answers were put together from GenAI attributes/);
    },
  );

  it('report a changed prompt, tool and parameter with their paths', async () => {
    const changed = async (more: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>): Promise<unknown> => {
      const { report } = await serving(pythonRecording('span-attributes'), (client) => firstTurn(client, more));
      const [first] = report.divergences;
      return [first?.kind, first?.path, first?.difference?.map(({ path }) => path)];
    };
    const path = 'model:openai.chat';
    const at = (...paths: string[]): unknown => ['input-changed', path, paths];
    expect(await changed({ messages: opening('Be rude.') })).toEqual(at('$.messages[0].parts[0].content'));
    expect(await changed({ temperature: 1.9 })).toEqual(at('$.temperature'));
    expect(await changed({ model: 'gpt-5' })).toEqual(at('$.model'));
    expect(await changed({ tools: tools.slice(0, 1) })).toEqual(['schema-changed', path, ['$.tools.track_parcel']]);
  });

  it('say which parameters the recording cannot vouch for', async () => {
    const recording = pythonRecording('span-attributes');
    const { report } = await serving(recording, (client) =>
      firstTurn(client, { top_p: 0.5, user: 'not load-bearing' }),
    );
    expect(report.notes).toContain('Not compared, because the recording does not hold them: top_p.');
  });

  it('never pretend to be an answer of an API they were not made for', async () => {
    const { value, report } = await serving(pythonRecording('span-attributes'), async (client) => {
      await firstTurn(client);
      return rejectionOf(client.responses.create({ model: 'gpt-4o-mini', input: 'hi' }));
    });
    expect(value).toMatchObject({ status: 404, code: 'reenact_never_recorded' });
    expect(report.exitCode).toBe(1);
  });
});

describe('a trace without content', () => {
  it('is a cold case that names the setting', async () => {
    const refused = serveRecording({ recording: pythonRecording('no-content') });
    await expect(refused).rejects.toMatchObject({
      code: 'cold-case',
      message: expect.stringMatching(/model:openai.chat#3: no-input, no-outcome/),
      next: expect.stringMatching(/OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_AND_EVENT/),
    });
  });
});

describe('a replay inside the process', () => {
  it('refuses rebuilt answers and names the command that takes them', () => {
    const recording = pythonRecording('span-attributes');
    const root = recording.roots[0]?.spanId ?? '';
    const refused = (): void => checkReplayable(recording, root, makePlan({}, recording, root));
    expect(refused).toThrowError(
      expect.objectContaining({
        code: 'cold-case',
        next: expect.stringContaining(`reenact serve ${recording.traceId}`),
      }),
    );
  });
});
