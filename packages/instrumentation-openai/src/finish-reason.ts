import { listOf, membersOf, stringOf } from '@reenact/instrumentation';

const chatReasons: Readonly<Record<string, string>> = {
  tool_calls: 'tool_call',
  function_call: 'tool_call',
};

/** The convention's word for a chat completion's finish reason; a word it does not know is kept. */
export function chatFinishReason(reason: string): string {
  return chatReasons[reason] ?? reason;
}

const incompleteReasons: Readonly<Record<string, string>> = { max_output_tokens: 'length' };

/** The convention's word for how a response object ended, or undefined while it has not. */
export function responseFinishReason(response: unknown): string | undefined {
  const { status, output, incomplete_details: incomplete } = membersOf(response);
  switch (status) {
    case 'completed':
      return listOf(output).some((item) => isCall(membersOf(item).type)) ? 'tool_call' : 'stop';
    case 'incomplete': {
      const reason = stringOf(membersOf(incomplete).reason);
      return reason === undefined ? undefined : (incompleteReasons[reason] ?? reason);
    }
    case 'failed':
    case 'cancelled':
      return 'error';
    default:
      return undefined;
  }
}

function isCall(type: unknown): boolean {
  return type === 'function_call' || type === 'custom_tool_call';
}
