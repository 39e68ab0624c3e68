import { isTree } from '@reenact/trace-model';
import { type EventBlock, eventJson } from '../event-blocks.ts';
import type { NamedPart } from '../model-protocol.ts';
import { treesOf } from './chat-answer.ts';

type Tree = Record<string, unknown>;

/** Arguments that are JSON are compared by what they say, not by how the model spaced them. */
function argumentsMeaning(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function callMeaning({ function: called }: Tree): unknown {
  return isTree(called) ? { name: called.name, arguments: argumentsMeaning(called.arguments) } : {};
}

function choiceMeaning({ message, finish_reason: finishReason }: Tree): unknown {
  const said = isTree(message) ? message : {};
  const calls = treesOf(said.tool_calls).map(callMeaning);
  return {
    content: said.content ?? null,
    ...(said.refusal === undefined || said.refusal === null ? {} : { refusal: said.refusal }),
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
    finishReason,
  };
}

/** What a chat completion says: per choice its text, refusal, tool calls and why it stopped. */
export function chatMeaning(body: unknown): unknown {
  return isTree(body) && Array.isArray(body.choices)
    ? { choices: treesOf(body.choices).map(choiceMeaning) }
    : undefined;
}

interface Assembled {
  content: string | null;
  refusal: string | null;
  finish: unknown;
  readonly calls: { id: unknown; name: string; arguments: string }[];
}

function addDelta(choice: Assembled, delta: Tree): void {
  if (typeof delta.content === 'string') choice.content = (choice.content ?? '') + delta.content;
  if (typeof delta.refusal === 'string') choice.refusal = (choice.refusal ?? '') + delta.refusal;
  for (const part of treesOf(delta.tool_calls)) {
    const index = typeof part.index === 'number' ? part.index : choice.calls.length;
    const call = choice.calls[index] ?? { id: undefined, name: '', arguments: '' };
    choice.calls[index] = call;
    call.id ??= part.id;
    const called = isTree(part.function) ? part.function : {};
    if (typeof called.name === 'string') call.name += called.name;
    if (typeof called.arguments === 'string') call.arguments += called.arguments;
  }
}

/** The completion that a chat stream was, as far as it says something. */
export function assembledChat(blocks: readonly EventBlock[]): Tree | undefined {
  const choices: Assembled[] = [];
  for (const chunk of blocks.map(eventJson).filter(isTree)) {
    for (const part of treesOf(chunk.choices)) {
      const index = typeof part.index === 'number' ? part.index : 0;
      const choice = choices[index] ?? { content: null, refusal: null, finish: null, calls: [] };
      choices[index] = choice;
      if (isTree(part.delta)) addDelta(choice, part.delta);
      choice.finish = part.finish_reason ?? choice.finish;
    }
  }
  if (choices.length === 0) return undefined;
  return {
    choices: choices.map(({ content, refusal, finish, calls }) => ({
      // A stream begins with an empty text where there is none.
      message: {
        content: content === '' && calls.length > 0 ? null : content,
        refusal,
        tool_calls: calls.map(({ id, ...call }) => ({ id, function: call })),
      },
      finish_reason: finish,
    })),
  };
}

function itemMeaning(item: Tree): unknown {
  switch (item.type) {
    case 'message':
      return {
        type: 'message',
        content: treesOf(item.content).map(({ type, text, refusal }) => ({ type, text, refusal })),
      };
    case 'function_call':
      return { type: 'function_call', name: item.name, arguments: argumentsMeaning(item.arguments) };
    default: {
      const { id: _id, status: _status, ...rest } = item as Tree & { id?: unknown; status?: unknown };
      return rest;
    }
  }
}

function namedPart(id: unknown, says: unknown): NamedPart[] {
  return typeof id === 'string' && id !== '' ? [{ id, says }] : [];
}

/** The tool calls of a chat completion. */
export function namedPartsOfChat(body: unknown): NamedPart[] {
  const choices = isTree(body) ? treesOf(body.choices) : [];
  return choices.flatMap(({ message }) =>
    treesOf(isTree(message) ? message.tool_calls : undefined).flatMap((call) => namedPart(call.id, callMeaning(call))),
  );
}

/** Each item of a response, by both of the ids that a tool call has, and the response itself, which the next one may go on from. */
export function namedPartsOfResponse(body: unknown): NamedPart[] {
  const meaning = responseMeaning(body);
  if (meaning === undefined || !isTree(body)) return [];
  const items = treesOf(body.output).flatMap((item) => {
    const says = item.type === 'reasoning' ? 'reasoning' : itemMeaning(item);
    return [...namedPart(item.id, says), ...namedPart(item.call_id, { says })];
  });
  return [...items, ...namedPart(body.id, { response: meaning })];
}

/** What a response says: its messages, tool calls and other items, but not how the model came to them. */
export function responseMeaning(body: unknown): unknown {
  if (!isTree(body) || !Array.isArray(body.output)) return undefined;
  const output = treesOf(body.output).filter(({ type }) => type !== 'reasoning');
  return { status: body.status, output: output.map(itemMeaning) };
}
