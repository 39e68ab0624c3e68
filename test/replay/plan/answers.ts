import type { ServerResponse } from 'node:http';
import type OpenAI from 'openai';
import type { Script } from '../../serve/scripted-provider.ts';

const head = { id: 'chatcmpl-1', created: 1_763_700_000, model: 'gpt-5-mini-2026-08-07', system_fingerprint: 'fp_1' };
const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };

/** A tool call as the chat API writes it. */
export function chatCall(id: string, name: string, called: object): object {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(called) } };
}

/** A chat completion that says a text or asks for tools. */
export function chatAnswer(content: string | null, calls: readonly object[] = []): object {
  const message = { role: 'assistant', content, refusal: null, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
  const finish = calls.length === 0 ? 'stop' : 'tool_calls';
  return {
    ...head,
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: { content: [], refusal: null }, finish_reason: finish }],
    usage,
  };
}

function sse(events: readonly string[]): string[] {
  return events.map((data) => `data: ${data}\n\n`);
}

/** The events of a streamed chat completion, `[DONE]` included. */
export function chatStream(words: readonly string[], calls: readonly object[] = []): string[] {
  const chunk = (delta: object, finish: string | null = null): string =>
    JSON.stringify({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      usage: null,
    });
  const asked = calls.flatMap((call, index) => {
    const { function: called, ...rest } = call as { function: { name: string; arguments: string } };
    const middle = Math.ceil(called.arguments.length / 2);
    const pieces = [called.arguments.slice(0, middle), called.arguments.slice(middle)];
    return [
      chunk({ tool_calls: [{ index, ...rest, function: { name: called.name, arguments: '' } }] }),
      ...pieces.map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ];
  });
  return sse([
    chunk({ role: 'assistant', content: words.length === 0 ? null : '', refusal: null }),
    ...words.map((word) => chunk({ content: word })),
    ...asked,
    chunk({}, calls.length === 0 ? 'stop' : 'tool_calls'),
    JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [], usage }),
    '[DONE]',
  ]);
}

/** A function call among the output of a response. */
export function callItem(id: string, name: string, called: object): object {
  return {
    id: `fc_${id}`,
    type: 'function_call',
    status: 'completed',
    arguments: JSON.stringify(called),
    call_id: id,
    name,
  };
}

/** A message among the output of a response. */
export function messageItem(text: string): object {
  const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }];
  return { id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content };
}

/** A reasoning item, which no edit touches. */
export const reasoningItem = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'c2lnbmVk' };

/** A response object with this output. */
export function responseAnswer(output: readonly object[], status = 'completed'): object {
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1_763_700_000,
    status,
    model: 'gpt-5-mini-2026-08-07',
    output,
    usage: { input_tokens: 9, output_tokens: 3, total_tokens: 12 },
    service_tier: 'default',
  };
}

function itemEvents(item: object, index: number): ({ type: string } & Record<string, unknown>)[] {
  const { type, id, content, arguments: text } = item as Record<string, unknown> & { content?: object[] };
  const added = { type: 'response.output_item.added', output_index: index, item: { ...item, status: 'in_progress' } };
  const done = { type: 'response.output_item.done', output_index: index, item };
  const place = { item_id: id, output_index: index };
  if (type === 'function_call') {
    return [
      { ...added, item: { ...added.item, arguments: '' } },
      { type: 'response.function_call_arguments.delta', ...place, delta: text },
      { type: 'response.function_call_arguments.done', ...place, arguments: text },
      done,
    ];
  }
  if (type !== 'message') return [added, done];
  const part = content?.[0] as { text: string };
  const inPart = { ...place, content_index: 0 };
  return [
    { ...added, item: { ...added.item, content: [] } },
    { type: 'response.content_part.added', ...inPart, part: { ...part, text: '' } },
    ...part.text
      .split(/(?<= )/)
      .map((delta) => ({ type: 'response.output_text.delta', ...inPart, delta, logprobs: [] })),
    { type: 'response.output_text.done', ...inPart, text: part.text, logprobs: [] },
    { type: 'response.content_part.done', ...inPart, part },
    done,
  ];
}

/** The events of a streamed response, numbered. */
export function responseStream(output: readonly object[]): string[] {
  const events = [
    { type: 'response.created', response: responseAnswer([], 'in_progress') },
    { type: 'response.in_progress', response: responseAnswer([], 'in_progress') },
    ...output.flatMap(itemEvents),
    { type: 'response.completed', response: responseAnswer(output) },
  ];
  return events.map((event, index) => {
    const data = JSON.stringify({ ...event, sequence_number: index });
    return `event: ${event.type}\ndata: ${data}\n\n`;
  });
}

/** Sends a JSON body with its length. */
export function json(body: object): Script {
  return (response: ServerResponse) => {
    const text = JSON.stringify(body);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    response.end(text);
  };
}

/** Sends events, cut into pieces at borders that have nothing to do with the events. */
export function events(all: readonly string[]): Script {
  return (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    const bytes = Buffer.from(all.join(''), 'utf8');
    for (let at = 0; at < bytes.byteLength; at += 97) response.write(bytes.subarray(at, at + 97));
    response.end();
  };
}

/** The question that every act asks. */
export const question: OpenAI.Chat.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Sell $1,000 worth.' }];
