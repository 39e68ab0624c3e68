import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { PeerRequest } from './http-peer.ts';

const json = { 'content-type': 'application/json' };

function random(): string {
  return String(Math.random());
}

interface Dialect {
  readonly whole: () => object;
  readonly first: readonly string[];
  readonly piece: () => string;
  readonly last: readonly string[];
}

const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };

function chunk(delta: object, finishReason: string | null): string {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  return `data: ${JSON.stringify({ id: 'c1', created: 1, model: 'm', object: 'chat.completion.chunk', choices })}\n\n`;
}

const chat: Dialect = {
  whole: () => {
    const choices = [{ index: 0, message: { role: 'assistant', content: random() }, finish_reason: 'stop' }];
    return { id: 'c1', created: 1, model: 'm', object: 'chat.completion', choices, usage };
  },
  first: [],
  piece: () => chunk({ role: 'assistant', content: random() }, null),
  last: [chunk({}, 'stop'), 'data: [DONE]\n\n'],
};

function event(data: { readonly type: string; readonly [member: string]: unknown }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

const head = { id: 'm1', type: 'message', role: 'assistant', model: 'm', stop_sequence: null };
const tokens = { input_tokens: 9, output_tokens: 3 };

const messages: Dialect = {
  whole: () => ({ ...head, content: [{ type: 'text', text: random() }], stop_reason: 'end_turn', usage: tokens }),
  first: [
    event({ type: 'message_start', message: { ...head, content: [], stop_reason: null, usage: tokens } }),
    event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
  ],
  piece: () => event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: random() } }),
  last: [
    event({ type: 'content_block_stop', index: 0 }),
    event({ type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: tokens }),
    event({ type: 'message_stop' }),
  ],
};

/**
 * Answers as a provider of models: the model's name, `<milliseconds>-<refusals>-<pieces>`, says when, how often it is busy first, and in how
 * many pieces; one answer in one piece where that is 0. No answer is given twice.
 */
export async function answerAsModel(response: ServerResponse, request: PeerRequest): Promise<void> {
  const { model } = JSON.parse(request.body) as { readonly model: string };
  const [ms = 0, refusals = 0, count = 0] = model.split('-').map(Number);
  const dialect = request.path.endsWith('/messages') ? messages : chat;
  await pause(ms);
  if (Number(request.headers['x-stainless-retry-count'] ?? 0) < refusals) {
    response.writeHead(429, { ...json, 'retry-after-ms': '2' }).end(`{"error":{"message":"${random()}"}}`);
    return;
  }
  if (count === 0) {
    response.writeHead(200, json).end(JSON.stringify(dialect.whole()));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const text of dialect.first) response.write(text);
  for (let number = 0; number < count; number += 1) {
    await pause(ms);
    response.write(dialect.piece());
  }
  response.end(dialect.last.join(''));
}
