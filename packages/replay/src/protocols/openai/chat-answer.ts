import { isTree } from '@reenact/trace-model';
import type { AnswerEdit } from '../model-protocol.ts';
import { argumentsText, toolCallId } from './tool-call-text.ts';

type Tree = Record<string, unknown>;

/** The objects of a list; everything else in it is left out. */
export function treesOf(list: unknown): Tree[] {
  return Array.isArray(list) ? list.filter(isTree) : [];
}

/** Why the model stopped, after an edit: OpenAI's word for an answer with or without tool calls. */
export function finishReason(recorded: unknown, hasCalls: boolean): unknown {
  if (hasCalls) return recorded === 'stop' || recorded === null ? 'tool_calls' : recorded;
  return recorded === 'tool_calls' || recorded === 'function_call' ? 'stop' : recorded;
}

/** Tool calls as the chat API writes them. */
export function chatToolCalls(calls: NonNullable<AnswerEdit['toolCalls']>, recorded: readonly Tree[]): Tree[] {
  return calls.map((call, index) => ({
    id: toolCallId(call, recorded[index]?.id, index),
    type: 'function',
    function: { name: call.name, arguments: argumentsText(call.arguments) },
  }));
}

function editedMessage(message: Tree, { text, toolCalls }: AnswerEdit): Tree {
  const said = text === undefined ? message : { ...message, content: text, refusal: null };
  if (toolCalls === undefined) return said;
  const { tool_calls: recorded, function_call: _legacy, ...rest } = said as Tree & { tool_calls?: unknown };
  const calls = chatToolCalls(toolCalls, treesOf(recorded));
  return calls.length === 0 ? rest : { ...rest, tool_calls: calls };
}

/** A chat completion that says something else; its first choice is edited. Undefined where it has none. */
export function editedChatCompletion(body: unknown, edit: AnswerEdit): unknown {
  if (!isTree(body)) return undefined;
  const choices = treesOf(body.choices);
  const [choice, ...others] = choices;
  if (choice === undefined || !isTree(choice.message)) return undefined;
  const message = editedMessage(choice.message, edit);
  const hasCalls = treesOf(message.tool_calls).length > 0;
  const edited = {
    ...choice,
    message,
    // They belong to the words that were there.
    ...('logprobs' in choice && edit.text !== undefined ? { logprobs: null } : {}),
    finish_reason: finishReason(choice.finish_reason, hasCalls),
  };
  return { ...body, choices: [edited, ...others] };
}
