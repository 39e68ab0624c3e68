import Anthropic from '@anthropic-ai/sdk';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { callerLine } from '@reenact/instrumentation';
import { chunkEvent, completionJson, type Script, ScriptedProvider } from '@reenact/instrumentation/testing';
import { instrumentAnthropic } from '@reenact/instrumentation-anthropic';
import { instrumentOpenAI } from '@reenact/instrumentation-openai';
import { replay } from '@reenact/replay';
import OpenAI from 'openai';
import { agent } from 'reenact';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordRun } from './recorded-run.ts';

const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', content: [], stop_sequence: null };
const usage = { input_tokens: 1, output_tokens: 1 };
const toolCall = { id: 'call_1', type: 'function', function: { name: 'price', arguments: '{}' } };

function event(data: { readonly type: string }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

function textOfAnthropic(): string {
  return [
    event({ type: 'message_start', message: { ...head, stop_reason: null, usage } } as { type: string }),
    event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage } as { type: string }),
    event({ type: 'message_stop' }),
  ].join('');
}

/** The first event of a stream says who speaks. */
function withRole(chunk: string): string {
  return chunk.replace('"delta":{', '"delta":{"role":"assistant",');
}

/** Streams where that is asked for, and asks for a tool once where there is one. */
const provider: Script = (response, { path, body }) => {
  const isStreamed = body.includes('"stream":true');
  response.writeHead(200, { 'content-type': isStreamed ? 'text/event-stream' : 'application/json' });
  if (path.endsWith('/messages')) return response.end(textOfAnthropic());
  if (isStreamed) return response.end(`${withRole(chunkEvent('Sold'))}${chunkEvent('', 'stop')}data: [DONE]\n\n`);
  const isAskedFirst = body.includes('"tools"') && !body.includes('tool_call_id');
  const answer = JSON.parse(completionJson('Sold')) as { choices: { message: object; finish_reason: string }[] };
  if (isAskedFirst)
    answer.choices = [
      { message: { role: 'assistant', content: null, tool_calls: [toolCall] }, finish_reason: 'tool_calls' },
    ];
  return response.end(JSON.stringify(answer));
};

let server: ScriptedProvider;
let ending = '';
let lines: (number | undefined)[] = [];
beforeAll(async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  server = await ScriptedProvider.start(provider);
});
afterAll(async () => {
  await server.stop();
  context.disable();
});

const helped = agent('helped', async () => {
  const openai = instrumentOpenAI(new OpenAI({ apiKey: 'key', baseURL: server.baseURL }));
  const anthropic = instrumentAnthropic(new Anthropic({ apiKey: 'key', baseURL: server.baseURL.replace('/v1', '') }));
  const messages = [{ role: 'user' as const, content: `Sell.${ending}` }];
  const parameters = { type: 'object', properties: {} };
  const price = { name: 'price', description: '', parameters, parse: JSON.parse, function: () => '7' };
  const model = { model: 'm', messages } as const;
  const here = (): unknown => lines.push(callerLine(here)?.line);
  here();
  await openai.chat.completions.create(model);
  here();
  await openai.chat.completions.stream(model).finalContent();
  here();
  await openai.chat.completions.runTools({ ...model, tools: [{ type: 'function', function: price }] }).done();
  here();
  await anthropic.messages.stream({ ...model, max_tokens: 9 }).done();
});

it('the place of a call that a helper of a model makes later is that of the helper’s call', async () => {
  const recording = await recordRun(helped);
  expect(recording.crossings).toHaveLength(6);
  ending = ' Now.';
  lines = [];
  const { divergences } = await replay({ recording, run: () => helped() });
  const [plain = 0, streamed = 0, tools = 0, anthropic = 0] = lines.map((line) => Number(line) + 1);
  expect(divergences.map(({ source }) => source?.line)).toEqual([plain, streamed, tools, tools, anthropic]);
});
