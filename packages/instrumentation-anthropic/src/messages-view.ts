import { listOf, membersOf, stringOf } from '@reenact/instrumentation';
import { finishReason } from '@reenact/trace-model';
import { type MessagePart, messageParts } from './message-part.ts';

/** One message in the form of the GenAI conventions. */
export interface Message {
  readonly role: string;
  readonly parts: readonly MessagePart[];
  readonly finish_reason?: string;
}

/** The API sends what tools answered as the user's; the conventions have a role for it. */
function roleOf(role: unknown, parts: readonly MessagePart[]): string {
  const isAnswer = parts.length > 0 && parts.every(({ type }) => type === 'tool_call_response');
  return isAnswer ? 'tool' : (stringOf(role) ?? 'user');
}

/** The `messages` of a request in the form of the conventions. */
export function inputMessages(messages: unknown): Message[] {
  return listOf(messages).map((value) => {
    const { role, content } = membersOf(value);
    const parts = messageParts(content);
    return { role: roleOf(role, parts), parts };
  });
}

/** A message object of the API as the one message the model gave; none where it says nothing yet. */
export function outputMessages(message: unknown): Message[] {
  const { role, content, stop_reason: stopReason } = membersOf(message);
  const parts = messageParts(content);
  const reason = stringOf(stopReason);
  if (parts.length === 0 && reason === undefined) return [];
  const finished = reason === undefined ? {} : { finish_reason: finishReason(reason) };
  return [{ role: stringOf(role) ?? 'assistant', parts, ...finished }];
}
