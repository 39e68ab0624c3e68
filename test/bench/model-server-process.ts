// Answers chat completions, at once or as a stream whose pieces are written one after the other.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { MODEL_STREAM_PIECES } from './limits.ts';
import { piecesOf, proseOf } from './redaction-payloads.ts';

const id = 'chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT';
const head = { id, created: 1_763_700_000, model: 'gpt-5-2025-08-07', service_tier: 'default' };
const usage = { prompt_tokens: 812, completion_tokens: 402, total_tokens: 1_214 };
const message = { role: 'assistant', content: proseOf(2_000), refusal: null };
const answer = JSON.stringify({
  ...head,
  object: 'chat.completion',
  choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
  usage,
});

function eventOf(content: string): string {
  const choices = [{ index: 0, delta: { content }, logprobs: null, finish_reason: null }];
  return `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices })}\n\n`;
}

const events = [...piecesOf(MODEL_STREAM_PIECES - 1).map(eventOf), 'data: [DONE]\n\n'];

async function stream(response: ServerResponse): Promise<void> {
  response.setHeader('content-type', 'text/event-stream');
  for (const event of events) {
    response.write(event);
    // So that each arrives by itself.
    await wait(4);
  }
  response.end();
}

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.once('end', () => {
    const { stream: isStreamed } = JSON.parse(Buffer.concat(parts).toString('utf8')) as { stream?: boolean };
    if (isStreamed === true) void stream(response);
    else response.setHeader('content-type', 'application/json').end(answer);
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
