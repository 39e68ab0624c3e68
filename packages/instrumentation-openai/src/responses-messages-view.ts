import { listOf, membersOf, responseFinishReason, stringOf } from '@reenact/instrumentation';
import { contentParts, type Message, type MessagePart, toolCallPart, toolResponsePart } from './message-part.ts';

function reasoningPart(item: Readonly<Record<string, unknown>>): MessagePart {
  const texts = [...listOf(item.summary), ...listOf(item.content)].map((part) => stringOf(membersOf(part).text) ?? '');
  const encrypted = stringOf(item.encrypted_content);
  // The next request sends the encrypted reasoning back, so a reader of the view may want to see that it was there.
  return {
    type: 'reasoning',
    content: texts.join('\n'),
    ...(encrypted === undefined ? {} : { encrypted_content: encrypted }),
  };
}

const roles: Readonly<Record<string, string>> = { developer: 'system' };

/** One item of `input` or `output`: who says it, and its parts. */
function itemOf(value: unknown): { readonly role: string; readonly parts: MessagePart[] } {
  const item = membersOf(value);
  switch (item.type) {
    case 'function_call':
      return { role: 'assistant', parts: [toolCallPart(item.call_id, item.name, item.arguments)] };
    case 'custom_tool_call':
      return { role: 'assistant', parts: [toolCallPart(item.call_id, item.name, item.input)] };
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { role: 'tool', parts: [toolResponsePart(item.call_id, item.output)] };
    case 'reasoning':
      return { role: 'assistant', parts: [reasoningPart(item)] };
    case 'message':
    case undefined: {
      const role = stringOf(item.role) ?? 'user';
      return { role: roles[role] ?? role, parts: contentParts(item.content) };
    }
    default:
      return { role: 'assistant', parts: [{ ...item, type: stringOf(item.type) ?? 'unknown' }] };
  }
}

/** The `input` of a request to the responses API in the form of the conventions. */
export function responsesInputMessages(input: unknown): Message[] {
  if (typeof input === 'string') return [{ role: 'user', parts: [{ type: 'text', content: input }] }];
  return listOf(input).map(itemOf);
}

/** The `output` of a response object as the one message the model gave, in the form of the conventions. */
export function responsesOutputMessages(response: unknown): Message[] {
  const parts = listOf(membersOf(response).output).flatMap((item) => itemOf(item).parts);
  const reason = responseFinishReason(response);
  if (parts.length === 0 && reason === undefined) return [];
  return [{ role: 'assistant', parts, ...(reason === undefined ? {} : { finish_reason: reason }) }];
}
