import type { ServerResponse } from 'node:http';
import type { Peer } from '../fidelity-library.ts';
import { HttpPeer, type PeerRequest } from '../peers/http-peer.ts';
import { ReverseOrder } from '../peers/reverse-order.ts';

const json = { 'content-type': 'application/json', 'x-request-id': 'req_7' };
const events = { 'content-type': 'text/event-stream' };
const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };
const head = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'gpt-4o-2024-08-06', system_fingerprint: 'fp_1' };

function completion(message: object, finishReason = 'stop'): string {
  const choice = { index: 0, message: { role: 'assistant', refusal: null, ...message }, finish_reason: finishReason };
  return JSON.stringify({ ...head, object: 'chat.completion', choices: [choice], usage });
}

function chunk(delta: object, finishReason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  return `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices })}\n\n`;
}

const words = ['sell', ' 1,000', ' shares', ' 📉'];

/** Sends the words one chunk each, a turn apart, so that each is a chunk of its own on the wire. */
async function sendWords(response: ServerResponse, end: string): Promise<void> {
  response.writeHead(200, events);
  for (const content of words) {
    response.write(chunk({ role: 'assistant', content }));
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (end !== '') response.end(end);
}

const callTool = completion(
  {
    content: null,
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'price', arguments: '{"symbol":"ACME"}' } }],
  },
  'tool_calls',
);

function answerToolLoop(response: ServerResponse, { messages }: { messages: readonly { role: string }[] }): void {
  const isAnswered = messages.some(({ role }) => role === 'tool');
  response.writeHead(200, json).end(isAnswered ? completion({ content: 'It costs 190.' }) : callTool);
}

interface ChatBody {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly { readonly role: string }[];
}

/** What the provider does is chosen by the model's name, so that one server plays every case. */
function answerChat(response: ServerResponse, body: ChatBody, request: PeerRequest, reverse: ReverseOrder): unknown {
  const done = `${chunk({}, 'stop')}data: [DONE]\n\n`;
  switch (body.model) {
    case 'hangs':
      return undefined;
    case 'endless':
      return sendWords(response, '');
    case 'breaks':
      return sendWords(response, '').then(() => setImmediate(() => response.destroy()));
    case 'reports-error':
      return sendWords(response, 'data: {"error":{"message":"overloaded","type":"server_error","code":"busy"}}\n\n');
    case 'limited':
      if (request.headers['x-stainless-retry-count'] !== '0') break;
      return response.writeHead(429, { ...json, 'retry-after-ms': '1' }).end('{"error":{"message":"slow down"}}');
    case 'calls-tools':
      return answerToolLoop(response, body);
    case 'gives-json':
      return response.writeHead(200, json).end(completion({ content: '{"shares":1000}' }));
    case 'first':
    case 'second':
    case 'third':
      return reverse.add(response, () => response.writeHead(200, json).end(completion({ content: body.model })));
  }
  if (body.stream === true) return sendWords(response, done);
  return response.writeHead(200, json).end(completion({ content: 'Sold 1,000 shares.' }));
}

const created = { id: 'resp_1', object: 'response', created_at: 1_700_000_000, model: 'gpt-4o', output: [] };
const part = { type: 'output_text', text: 'Sold.', annotations: [] };
const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [part] };

/** The events of the responses API for one short answer. */
function sendResponse(response: ServerResponse): void {
  const at = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  const sent = [
    { type: 'response.created', response: { ...created, status: 'in_progress' } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress', content: [] } },
    { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
    { type: 'response.output_text.delta', ...at, delta: 'So', logprobs: [] },
    { type: 'response.output_text.delta', ...at, delta: 'ld.', logprobs: [] },
    { type: 'response.output_text.done', ...at, text: 'Sold.', logprobs: [] },
    { type: 'response.content_part.done', ...at, part },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { ...created, status: 'completed', output: [item] } },
  ];
  response.writeHead(200, events);
  sent.forEach((event, index) => {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: index })}\n\n`);
  });
  response.end();
}

/** A provider that speaks the OpenAI protocol, in every mood. */
export function startOpenaiPeer(): Promise<Peer> {
  const reverse = new ReverseOrder(3);
  return HttpPeer.start((response, request) => {
    if (request.path.endsWith('/chat/completions'))
      return answerChat(response, JSON.parse(request.body) as ChatBody, request, reverse);
    if (request.path.endsWith('/responses')) return sendResponse(response);
    return response.writeHead(200, json).end(JSON.stringify({ object: 'list', data: [] }));
  });
}
