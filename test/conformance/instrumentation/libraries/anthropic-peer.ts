import type { ServerResponse } from 'node:http';
import type { Peer } from '../fidelity-library.ts';
import { HttpPeer, type PeerRequest } from '../peers/http-peer.ts';
import { ReverseOrder } from '../peers/reverse-order.ts';

const json = { 'content-type': 'application/json', 'request-id': 'req_7', 'anthropic-workspace-id': 'wrk_1' };
const usage = { input_tokens: 9, cache_read_input_tokens: 4, cache_creation_input_tokens: 2, output_tokens: 3 };
const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-sonnet-5-20260901' };

function message(content: readonly object[], stopReason = 'end_turn'): string {
  return JSON.stringify({ ...head, content, stop_reason: stopReason, stop_sequence: null, usage });
}

function event(data: { readonly type: string; readonly [member: string]: unknown }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

function delta(index: number, member: object): string {
  return event({ type: 'content_block_delta', index, delta: member });
}

/** Thinking with its signature, a text, a tool call: every kind of delta there is. */
const streamed: readonly string[] = [
  event({ type: 'message_start', message: { ...head, content: [], stop_reason: null, stop_sequence: null, usage } }),
  event({ type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } }),
  delta(0, { type: 'thinking_delta', thinking: 'Dollars, not shares.' }),
  delta(0, { type: 'signature_delta', signature: 'c2lnbmF0dXJl' }),
  event({ type: 'content_block_stop', index: 0 }),
  event({ type: 'ping' }),
  event({ type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } }),
  delta(1, { type: 'text_delta', text: 'Sold' }),
  delta(1, { type: 'text_delta', text: ' 📉' }),
  event({ type: 'content_block_stop', index: 1 }),
  event({
    type: 'content_block_start',
    index: 2,
    content_block: { type: 'tool_use', id: 'toolu_1', name: 'price', input: {} },
  }),
  delta(2, { type: 'input_json_delta', partial_json: '{"symbol":' }),
  delta(2, { type: 'input_json_delta', partial_json: '"ACME"}' }),
  event({ type: 'content_block_stop', index: 2 }),
];

const ending: readonly string[] = [
  event({
    type: 'message_delta',
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { output_tokens: 42 },
  }),
  event({ type: 'message_stop' }),
];

const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };

/** Sends the events one chunk each, a turn apart; leaves the stream open unless told how to end it. */
async function sendEvents(response: ServerResponse, last: readonly string[] | undefined): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': 'req_8' });
  for (const text of [...streamed, ...(last ?? [])]) {
    response.write(text);
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (last !== undefined) response.end();
}

interface MessagesBody {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly { readonly content: unknown }[];
}

function answerToolLoop(response: ServerResponse, { messages }: MessagesBody): unknown {
  const isAnswered = JSON.stringify(messages).includes('tool_result');
  const use = { type: 'tool_use', id: 'toolu_1', name: 'price', input: { symbol: 'ACME' } };
  const body = isAnswered ? message([{ type: 'text', text: 'It costs 190.' }]) : message([use], 'tool_use');
  return response.writeHead(200, json).end(body);
}

/** What the provider does is chosen by the model's name, so that one server plays every case. */
function answerMessages(
  response: ServerResponse,
  body: MessagesBody,
  request: PeerRequest,
  reverse: ReverseOrder,
): unknown {
  switch (body.model) {
    case 'hangs':
      return undefined;
    case 'endless':
      return sendEvents(response, undefined);
    case 'breaks':
      return sendEvents(response, undefined).then(() => setImmediate(() => response.destroy()));
    case 'reports-error':
      return sendEvents(response, [event(overloaded)]);
    case 'limited':
    case 'overloaded': {
      if (request.headers['x-stainless-retry-count'] !== '0') break;
      const status = body.model === 'limited' ? 429 : 529;
      return response.writeHead(status, { ...json, 'retry-after-ms': '1' }).end(JSON.stringify(overloaded));
    }
    case 'calls-tools':
      return answerToolLoop(response, body);
    case 'gives-json':
      return response.writeHead(200, json).end(message([{ type: 'text', text: '{"shares":1000}' }]));
    case 'first':
    case 'second':
    case 'third':
      return reverse.add(response, () =>
        response.writeHead(200, json).end(message([{ type: 'text', text: body.model }])),
      );
  }
  if (body.stream === true) return sendEvents(response, ending);
  const thinking = { type: 'thinking', thinking: 'Dollars.', signature: 'c2lnbmF0dXJl' };
  return response.writeHead(200, json).end(message([thinking, { type: 'text', text: 'Sold 1,000 shares.' }]));
}

const batch = { id: 'msgbatch_1', type: 'message_batch', processing_status: 'in_progress', results_url: null };

/** A provider that speaks the Anthropic messages protocol, in every mood. */
export function startAnthropicPeer(): Promise<Peer> {
  const reverse = new ReverseOrder(3);
  return HttpPeer.start((response, request) => {
    const [path] = request.path.split('?');
    if (path === '/v1/messages')
      return answerMessages(response, JSON.parse(request.body) as MessagesBody, request, reverse);
    response.writeHead(200, json);
    if (path === '/v1/messages/count_tokens') return response.end('{"input_tokens":14}');
    if (path === '/v1/messages/batches') return response.end(JSON.stringify(batch));
    return response.end(JSON.stringify({ data: [], has_more: false, first_id: null, last_id: null }));
  });
}
