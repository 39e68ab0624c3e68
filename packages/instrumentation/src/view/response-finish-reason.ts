import { finishReason } from '@reenact/trace-model';
import { listOf, membersOf, stringOf } from './members.ts';

/** The convention's word for how a response object of OpenAI's Responses API ended, or undefined while it has not. */
export function responseFinishReason(response: unknown): string | undefined {
  const { status, output, incomplete_details: incomplete } = membersOf(response);
  switch (status) {
    case 'completed':
      return listOf(output).some((item) => isCall(membersOf(item).type)) ? 'tool_call' : 'stop';
    case 'incomplete': {
      const reason = stringOf(membersOf(incomplete).reason);
      return reason === undefined ? undefined : finishReason(reason);
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
