import { definedAttributes, membersOf, type SemconvView, stringOf } from '@reenact/instrumentation';
import { ATTR_ERROR_TYPE } from '@reenact/semconv/core';
import {
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_RESPONSE_FINISH_REASONS,
  ATTR_GEN_AI_RESPONSE_ID,
  ATTR_GEN_AI_RESPONSE_MODEL,
} from '@reenact/semconv/gen-ai';
import { finishReason, readServerSentEvents } from '@reenact/trace-model';
import { outputMessages } from './messages-view.ts';
import { reportedError, streamedMessage } from './streamed-message.ts';
import { usageAttributes } from './usage-view.ts';

/**
 * The semconv view of a response body, streamed or not: what the whole of it says, or as much as came. Throws whatever a
 * strange body makes it throw; the caller guards it.
 */
export function responseView(body: string, isStreamed: boolean): SemconvView {
  const events = isStreamed ? readServerSentEvents(body) : [];
  const message = isStreamed ? streamedMessage(events) : membersOf(JSON.parse(body));
  const reason = stringOf(message.stop_reason);
  const messages = message.type === 'error' ? [] : outputMessages(message);
  return {
    slim: definedAttributes({
      [ATTR_ERROR_TYPE]: reportedError(events),
      [ATTR_GEN_AI_RESPONSE_ID]: stringOf(message.id),
      [ATTR_GEN_AI_RESPONSE_MODEL]: stringOf(message.model),
      [ATTR_GEN_AI_RESPONSE_FINISH_REASONS]: reason === undefined ? undefined : [finishReason(reason)],
      ...usageAttributes(message.usage),
    }),
    content: messages.length === 0 ? {} : { [ATTR_GEN_AI_OUTPUT_MESSAGES]: JSON.stringify(messages) },
  };
}
