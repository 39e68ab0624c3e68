import {
  definedAttributes,
  eventObjects,
  listOf,
  membersOf,
  responseFinishReason,
  type SemconvView,
  stringOf,
} from '@reenact/instrumentation';
import { ATTR_ERROR_TYPE } from '@reenact/semconv/core';
import {
  ATTR_GEN_AI_EMBEDDINGS_DIMENSION_COUNT,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_RESPONSE_FINISH_REASONS,
  ATTR_GEN_AI_RESPONSE_ID,
  ATTR_GEN_AI_RESPONSE_MODEL,
  ATTR_GEN_AI_RESPONSE_STATUS,
  ATTR_OPENAI_RESPONSE_SERVICE_TIER,
  ATTR_OPENAI_RESPONSE_SYSTEM_FINGERPRINT,
} from '@reenact/semconv/gen-ai';
import { finishReason, readServerSentEvents, type ServerSentEvent } from '@reenact/trace-model';
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

const FLOAT_BYTES = 4;

/** How many numbers a vector has; as base64 it holds them as 32-bit floats. Undefined where it is none. */
function dimensionsOf(item: unknown): number | undefined {
  const { embedding } = membersOf(item);
  if (Array.isArray(embedding)) return embedding.length;
  return typeof embedding === 'string' ? Math.floor(Buffer.byteLength(embedding, 'base64') / FLOAT_BYTES) : undefined;
}

function embeddingsView(response: unknown): SemconvView {
  const { model, usage, data } = membersOf(response);
  return {
    slim: definedAttributes({
      [ATTR_GEN_AI_RESPONSE_MODEL]: stringOf(model),
      [ATTR_GEN_AI_EMBEDDINGS_DIMENSION_COUNT]: Array.isArray(data) ? dimensionsOf(data[0]) : undefined,
      ...usageAttributes(usage),
    }),
  };
}

/** Which error a provider reported inside of a stream, behind which its client throws; undefined where it reported none. */
function reportedError(events: readonly ServerSentEvent[]): string | undefined {
  for (const told of eventObjects(events)) {
    const error = told.type === 'error' ? (told.error ?? told) : told.error;
    if (typeof error !== 'object' || error === null) continue;
    const { code, type } = membersOf(error);
    return stringOf(code) ?? stringOf(type) ?? 'error';
  }
  return undefined;
}

/** As much of an answer as came of it, and the error that it ended with. */
function streamView(endpoint: 'chat' | 'responses', body: string): SemconvView {
  const events = readServerSentEvents(body);
  const view = endpoint === 'chat' ? chatView(chatCompletionOf(events)) : responsesView(responseObjectOf(events));
  return { ...view, slim: { ...definedAttributes({ [ATTR_ERROR_TYPE]: reportedError(events) }), ...view.slim } };
}

/**
 * The semconv view of a response body, streamed or not: what the whole of it says, or as much as came. Throws whatever a
 * strange body makes it throw; the caller guards it.
 */
export function responseView(endpoint: ModelEndpoint, body: string, isStreamed: boolean): SemconvView {
  if (isStreamed && endpoint !== 'embeddings') return streamView(endpoint, body);
  const answer: unknown = JSON.parse(body);
  switch (endpoint) {
    case 'chat':
      return chatView(answer);
    case 'responses':
      return responsesView(answer);
    case 'embeddings':
      return embeddingsView(answer);
  }
}
