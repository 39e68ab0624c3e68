import {
  definedAttributes,
  listOf,
  membersOf,
  responseFinishReason,
  type SemconvView,
  stringOf,
} from '@reenact/instrumentation';
import {
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_RESPONSE_FINISH_REASONS,
  ATTR_GEN_AI_RESPONSE_ID,
  ATTR_GEN_AI_RESPONSE_MODEL,
  ATTR_GEN_AI_RESPONSE_STATUS,
  ATTR_OPENAI_RESPONSE_SERVICE_TIER,
  ATTR_OPENAI_RESPONSE_SYSTEM_FINGERPRINT,
} from '@reenact/semconv/gen-ai';
import { finishReason, readServerSentEvents } from '@reenact/trace-model';
import { chatOutputMessages } from './chat-messages-view.ts';
import { chatCompletionOf } from './chat-stream-view.ts';
import type { ModelEndpoint } from './request-view.ts';
import { responsesOutputMessages } from './responses-messages-view.ts';
import { responseObjectOf } from './responses-stream-view.ts';
import { usageAttributes } from './usage-view.ts';

function chatView(completion: unknown): SemconvView {
  const { id, model, choices, usage, service_tier: tier, system_fingerprint: fingerprint } = membersOf(completion);
  const reasons = listOf(choices).map((choice) => stringOf(membersOf(choice).finish_reason));
  const finished = reasons.filter((reason) => reason !== undefined).map(finishReason);
  const messages = chatOutputMessages(choices);
  return {
    slim: definedAttributes({
      [ATTR_GEN_AI_RESPONSE_ID]: stringOf(id),
      [ATTR_GEN_AI_RESPONSE_MODEL]: stringOf(model),
      [ATTR_GEN_AI_RESPONSE_FINISH_REASONS]: finished.length === 0 ? undefined : finished,
      [ATTR_OPENAI_RESPONSE_SERVICE_TIER]: stringOf(tier),
      [ATTR_OPENAI_RESPONSE_SYSTEM_FINGERPRINT]: stringOf(fingerprint),
      ...usageAttributes(usage),
    }),
    content: messages.length === 0 ? {} : { [ATTR_GEN_AI_OUTPUT_MESSAGES]: JSON.stringify(messages) },
  };
}

function responsesView(response: unknown): SemconvView {
  const { id, model, status, usage, service_tier: tier } = membersOf(response);
  const reason = responseFinishReason(response);
  const messages = responsesOutputMessages(response);
  return {
    slim: definedAttributes({
      [ATTR_GEN_AI_RESPONSE_ID]: stringOf(id),
      [ATTR_GEN_AI_RESPONSE_MODEL]: stringOf(model),
      [ATTR_GEN_AI_RESPONSE_STATUS]: stringOf(status),
      [ATTR_GEN_AI_RESPONSE_FINISH_REASONS]: reason === undefined ? undefined : [reason],
      [ATTR_OPENAI_RESPONSE_SERVICE_TIER]: stringOf(tier),
      ...usageAttributes(usage),
    }),
    content: messages.length === 0 ? {} : { [ATTR_GEN_AI_OUTPUT_MESSAGES]: JSON.stringify(messages) },
  };
}

function embeddingsView(response: unknown): SemconvView {
  const { model, usage } = membersOf(response);
  return { slim: definedAttributes({ [ATTR_GEN_AI_RESPONSE_MODEL]: stringOf(model), ...usageAttributes(usage) }) };
}

/**
 * The semconv view of a response body, streamed or not: what the whole of it says, or as much as came. Throws whatever a
 * strange body makes it throw; the caller guards it.
 */
export function responseView(endpoint: ModelEndpoint, body: string, isStreamed: boolean): SemconvView {
  switch (endpoint) {
    case 'chat':
      return chatView(isStreamed ? chatCompletionOf(readServerSentEvents(body)) : JSON.parse(body));
    case 'responses':
      return responsesView(isStreamed ? responseObjectOf(readServerSentEvents(body)) : JSON.parse(body));
    case 'embeddings':
      return embeddingsView(JSON.parse(body));
  }
}
