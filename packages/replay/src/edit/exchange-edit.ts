import { type Crossing, decodeValue, type Exchange, isTree } from '@reenact/trace-model';
import { z } from 'zod';
import { eventBlock, eventJson } from '../protocols/event-blocks.ts';
import type { AnswerBody, AnswerEdit } from '../protocols/model-protocol.ts';
import { protocolOf } from '../protocols/protocol-of.ts';
import { answerBody, headerOf, headersWithoutLength, withAnswerBody } from '../protocols/response-body.ts';
import type { JsonPath } from '../recorded/json-path.ts';
import { impossibleEdit, type PreparedEdit } from './outcome-edit.ts';
import { payloadOfTree } from './outcome-payloads.ts';
import { withValueAtPath } from './value-at-path.ts';

const toolCallsSchema = z.array(
  z.strictObject({ id: z.string().optional(), name: z.string().min(1), arguments: z.unknown() }),
);

function answerEdit(recorded: Crossing, edit: PreparedEdit): AnswerEdit {
  if (edit.target.part === 'text') {
    if (typeof edit.value === 'string') return { text: edit.value };
    throw impossibleEdit(recorded, edit.text, 'its new value is not a text', 'Give a JSON string.');
  }
  const parsed = toolCallsSchema.safeParse(decodeValue(payloadOfTree(edit.value)));
  if (parsed.success) return { toolCalls: parsed.data };
  const [issue] = parsed.error.issues;
  throw impossibleEdit(
    recorded,
    edit.text,
    `its new value is no list of tool calls (${issue?.message ?? 'malformed'})`,
    'Give a list like [{"name":"place_order","arguments":{"shares":100}}].',
  );
}

function withAnswer(recorded: Crossing, exchange: Exchange, edit: PreparedEdit): Exchange {
  const protocol = protocolOf(exchange);
  if (protocol === undefined) {
    throw impossibleEdit(
      recorded,
      edit.text,
      `no model protocol is known for ${exchange.request.url}`,
      'Edit the body of its answer with $ and a path, or a chunk of its stream with chunks[n].',
    );
  }
  const body = answerBody(exchange);
  const edited = body === undefined ? undefined : protocol.edit(body, answerEdit(recorded, edit));
  if (edited !== undefined) return withAnswerBody(exchange, edited);
  throw impossibleEdit(
    recorded,
    edit.text,
    'its recorded answer is no whole answer of this protocol',
    'Edit another part of it, or let it run live with --live.',
  );
}

function bodyOf(recorded: Crossing, exchange: Exchange, edit: PreparedEdit): AnswerBody {
  const body = answerBody(exchange);
  if (body !== undefined) return body;
  throw impossibleEdit(recorded, edit.text, 'the body of its answer is not JSON', 'Give the whole body with $.');
}

function withWholeBody(exchange: Exchange, value: unknown): Exchange {
  const { response } = exchange;
  if (response === undefined) return exchange;
  const isText = typeof value === 'string' && !/json/i.test(headerOf(response, 'content-type') ?? '');
  const text = isText ? value : JSON.stringify(value);
  const atUs = response.chunks.at(-1)?.[0] ?? response.headersAfterUs;
  const { cut: _cut, ...kept } = response;
  return {
    ...exchange,
    response: {
      ...kept,
      headers: headersWithoutLength(response.headers),
      chunks: [[atUs, text]],
      hasBody: true,
      end: 'complete',
    },
  };
}

function withBody(recorded: Crossing, exchange: Exchange, path: JsonPath, edit: PreparedEdit): Exchange {
  if (exchange.response === undefined) {
    throw impossibleEdit(recorded, edit.text, 'it was never answered', 'Make it fail in another way with --fail.');
  }
  const isStream = answerBody(exchange)?.type === 'events';
  if (isStream) {
    throw impossibleEdit(recorded, edit.text, 'its answer is a stream', 'Edit text, toolCalls, or a chunk: chunks[0].');
  }
  if (path.length === 0) return withWholeBody(exchange, edit.value);
  const body = bodyOf(recorded, exchange, edit);
  if (body.type !== 'json') return exchange;
  const replaced = withValueAtPath(body.body, path, edit.value);
  if ('value' in replaced) return withAnswerBody(exchange, { type: 'json', body: replaced.value });
  throw impossibleEdit(
    recorded,
    edit.text,
    `its answer has ${replaced.found} at ${replaced.missingAt}`,
    'Name a place that the answer has.',
  );
}

function withEvent(
  recorded: Crossing,
  exchange: Exchange,
  edit: PreparedEdit,
  target: { index: number; path: JsonPath },
): Exchange {
  const body = answerBody(exchange);
  if (body?.type !== 'events') {
    throw impossibleEdit(recorded, edit.text, 'its answer is no stream of events', 'Edit its body with $ and a path.');
  }
  const events = body.blocks.filter(({ data }) => data !== undefined);
  const block = events[target.index];
  if (block === undefined) {
    throw impossibleEdit(
      recorded,
      edit.text,
      `its stream has ${events.length} events, counted from 0`,
      'Name one of them.',
    );
  }
  const json = eventJson(block);
  const replaced = withValueAtPath(json, target.path, edit.value);
  if (!('value' in replaced)) {
    const found = isTree(json) ? replaced.found : 'no JSON';
    throw impossibleEdit(
      recorded,
      edit.text,
      `that event has ${found} at ${replaced.missingAt}`,
      'Name a place in it.',
    );
  }
  const changed = eventBlock(block.atUs, JSON.stringify(replaced.value), block.event);
  const blocks = body.blocks.map((item) => (item === block ? changed : item));
  return withAnswerBody(exchange, { type: 'events', blocks });
}

function editedExchange(recorded: Crossing, exchange: Exchange, edit: PreparedEdit): Exchange {
  const { target } = edit;
  switch (target.part) {
    case 'text':
    case 'toolCalls':
      return withAnswer(recorded, exchange, edit);
    case '$':
      return withBody(recorded, exchange, target.path, edit);
    case 'chunks':
      return withEvent(recorded, exchange, edit, target);
    case 'error':
      throw impossibleEdit(
        recorded,
        edit.text,
        'its outcome is a wire exchange',
        `Make the exchange fail: --fail '${recorded.kind}:${recorded.name}:status=429', or :error, :timeout, :truncate=3.`,
      );
    case 'input':
      return exchange;
  }
}

/** The crossing with another answer in its last exchange, the one its client went on with. Throws ReenactError `bad-plan`. */
export function editedExchangeOutcome(recorded: Crossing, edit: PreparedEdit): Crossing {
  const last = recorded.exchanges.at(-1);
  if (last === undefined) {
    throw impossibleEdit(recorded, edit.text, 'its wire exchanges were not recorded', 'Let it run live with --live.');
  }
  return { ...recorded, exchanges: [...recorded.exchanges.slice(0, -1), editedExchange(recorded, last, edit)] };
}
