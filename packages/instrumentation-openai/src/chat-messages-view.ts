import { listOf, membersOf, stringOf } from '@reenact/instrumentation';
import { finishReason } from '@reenact/trace-model';
import { contentParts, type Message, type MessagePart, toolCallPart, toolResponsePart } from './message-part.ts';

function toolCallOf(value: unknown): MessagePart {
  const call = membersOf(value);
  if (call.type === 'custom') {
    const custom = membersOf(call.custom);
    return toolCallPart(call.id, custom.name, custom.input);
  }
  const called = membersOf(call.function);
  return toolCallPart(call.id, called.name, called.arguments);
}

/** Everything a message of the chat API says, in the order the conventions give it. */
function partsOf(message: Readonly<Record<string, unknown>>): MessagePart[] {
  const { role, content, refusal, function_call: legacyCall } = message;
  if (role === 'tool') return [toolResponsePart(message.tool_call_id, content)];
  if (role === 'function') return [toolResponsePart(null, content)];
  const legacy = membersOf(legacyCall);
  return [
    ...(typeof message.reasoning_content === 'string' && message.reasoning_content !== ''
      ? [{ type: 'reasoning', content: message.reasoning_content }]
      : []),
    ...contentParts(content),
    ...(typeof refusal === 'string' ? [{ type: 'refusal', content: refusal }] : []),
    ...listOf(message.tool_calls).map(toolCallOf),
    ...(legacyCall === undefined || legacyCall === null ? [] : [toolCallPart(null, legacy.name, legacy.arguments)]),
  ];
}

const roles: Readonly<Record<string, string>> = { developer: 'system', function: 'tool' };

function roleOf(role: unknown, otherwise: string): string {
  const name = stringOf(role) ?? otherwise;
  return roles[name] ?? name;
}

/** The `messages` of a chat request in the form of the conventions. */
export function chatInputMessages(messages: unknown): Message[] {
  return listOf(messages).map((value) => {
    const message = membersOf(value);
    const name = stringOf(message.name);
    return {
      role: roleOf(message.role, 'user'),
      parts: partsOf(message),
      ...(name === undefined ? {} : { name }),
    };
  });
}

/** The `choices` of a chat completion in the form of the conventions. */
export function chatOutputMessages(choices: unknown): Message[] {
  return listOf(choices).map((value) => {
    const choice = membersOf(value);
    const message = membersOf(choice.message);
    const reason = stringOf(choice.finish_reason);
    return {
      role: roleOf(message.role, 'assistant'),
      parts: partsOf(message),
      ...(reason === undefined ? {} : { finish_reason: finishReason(reason) }),
    };
  });
}
