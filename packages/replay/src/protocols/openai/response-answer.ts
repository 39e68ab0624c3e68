import { isTree } from '@reenact/trace-model';
import type { AnswerEdit } from '../model-protocol.ts';
import { treesOf } from './chat-answer.ts';
import { argumentsText, toolCallId } from './tool-call-text.ts';

type Tree = Record<string, unknown>;

function textPart(text: string): Tree {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function newMessage(text: string): Tree {
  return { id: 'msg_edited', type: 'message', status: 'completed', role: 'assistant', content: [textPart(text)] };
}

/** The items with another text in their first message; a message is added where there is none. */
function withText(items: readonly Tree[], text: string): Tree[] {
  const message = items.find(({ type }) => type === 'message');
  if (message === undefined) return [...items, newMessage(text)];
  return items
    .filter((item) => item.type !== 'message' || item === message)
    .map((item) => (item === message ? { ...item, content: [textPart(text)] } : item));
}

function callItems(calls: NonNullable<AnswerEdit['toolCalls']>, recorded: readonly Tree[]): Tree[] {
  return calls.map((call, index) => ({
    id: typeof recorded[index]?.id === 'string' ? recorded[index].id : `fc_edited_${index + 1}`,
    type: 'function_call',
    status: 'completed',
    arguments: argumentsText(call.arguments),
    call_id: toolCallId(call, recorded[index]?.call_id, index),
    name: call.name,
  }));
}

/** The items with other tool calls, where the first recorded one was, else at the end. */
function withCalls(items: readonly Tree[], calls: NonNullable<AnswerEdit['toolCalls']>): Tree[] {
  const isCall = ({ type }: Tree): boolean => type === 'function_call';
  const made = callItems(calls, items.filter(isCall));
  const place = items.findIndex(isCall);
  if (place < 0) return [...items, ...made];
  return [...items.slice(0, place), ...made, ...items.slice(place).filter((item) => !isCall(item))];
}

/** A response object that says something else. Undefined where it has no output. */
export function editedResponse(body: unknown, { text, toolCalls }: AnswerEdit): Tree | undefined {
  if (!isTree(body) || !Array.isArray(body.output)) return undefined;
  const said = text === undefined ? treesOf(body.output) : withText(treesOf(body.output), text);
  const output = toolCalls === undefined ? said : withCalls(said, toolCalls);
  // Some gateways send the joined text along, which the client otherwise makes itself.
  const joined = typeof body.output_text === 'string' && text !== undefined ? { output_text: text } : {};
  return { ...body, output, ...joined };
}
