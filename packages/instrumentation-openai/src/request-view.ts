import type { Attributes } from '@opentelemetry/api';
import {
  definedAttributes,
  listOf,
  type Members,
  membersOf,
  numberOf,
  type SemconvView,
  type ServerAddress,
  type SparseAttributes,
  stringOf,
} from '@reenact/instrumentation';
import { ATTR_SERVER_ADDRESS, ATTR_SERVER_PORT } from '@reenact/semconv/core';
import {
  ATTR_GEN_AI_EMBEDDINGS_DIMENSION_COUNT,
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_OUTPUT_TYPE,
  ATTR_GEN_AI_PROVIDER_NAME,
  ATTR_GEN_AI_REQUEST_CHOICE_COUNT,
  ATTR_GEN_AI_REQUEST_ENCODING_FORMATS,
  ATTR_GEN_AI_REQUEST_FREQUENCY_PENALTY,
  ATTR_GEN_AI_REQUEST_MAX_TOKENS,
  ATTR_GEN_AI_REQUEST_MODEL,
  ATTR_GEN_AI_REQUEST_PRESENCE_PENALTY,
  ATTR_GEN_AI_REQUEST_PREVIOUS_RESPONSE_ID,
  ATTR_GEN_AI_REQUEST_REASONING_LEVEL,
  ATTR_GEN_AI_REQUEST_SEED,
  ATTR_GEN_AI_REQUEST_STOP_SEQUENCES,
  ATTR_GEN_AI_REQUEST_STREAM,
  ATTR_GEN_AI_REQUEST_TEMPERATURE,
  ATTR_GEN_AI_REQUEST_TOP_P,
  ATTR_GEN_AI_SYSTEM_INSTRUCTIONS,
  ATTR_GEN_AI_TOOL_DEFINITIONS,
  ATTR_OPENAI_API_TYPE,
  ATTR_OPENAI_REQUEST_SERVICE_TIER,
  GEN_AI_OPERATION_NAME_VALUE_CHAT,
  GEN_AI_OPERATION_NAME_VALUE_EMBEDDINGS,
  GEN_AI_OUTPUT_TYPE_VALUE_JSON,
  GEN_AI_OUTPUT_TYPE_VALUE_SPEECH,
  GEN_AI_OUTPUT_TYPE_VALUE_TEXT,
  OPENAI_API_TYPE_VALUE_CHAT_COMPLETIONS,
  OPENAI_API_TYPE_VALUE_RESPONSES,
  OPENAI_REQUEST_SERVICE_TIER_VALUE_AUTO,
} from '@reenact/semconv/gen-ai';
import { chatInputMessages } from './chat-messages-view.ts';
import type { Endpoint } from './endpoint.ts';
import { contentParts } from './message-part.ts';
import { responsesInputMessages } from './responses-messages-view.ts';
import { toolDefinitions } from './tool-definitions-view.ts';

/** The endpoints that are inference or embeddings. */
export type ModelEndpoint = Exclude<Endpoint, 'other'>;

/** Operation, provider and server of a model call: what is known without looking into the request. */
export interface CallIdentity {
  readonly endpoint: ModelEndpoint;
  readonly provider: string;
  readonly server: ServerAddress | undefined;
}

/** The convention's operation of an endpoint. */
export function operationOf(endpoint: ModelEndpoint): string {
  switch (endpoint) {
    case 'chat':
    case 'responses':
      return GEN_AI_OPERATION_NAME_VALUE_CHAT;
    case 'embeddings':
      return GEN_AI_OPERATION_NAME_VALUE_EMBEDDINGS;
  }
}

function apiTypeOf(endpoint: ModelEndpoint): string | undefined {
  switch (endpoint) {
    case 'chat':
      return OPENAI_API_TYPE_VALUE_CHAT_COMPLETIONS;
    case 'responses':
      return OPENAI_API_TYPE_VALUE_RESPONSES;
    case 'embeddings':
      return undefined;
  }
}

function formatType(format: unknown): string | undefined {
  switch (membersOf(format).type) {
    case 'json_schema':
    case 'json_object':
      return GEN_AI_OUTPUT_TYPE_VALUE_JSON;
    case 'text':
      return GEN_AI_OUTPUT_TYPE_VALUE_TEXT;
    default:
      return undefined;
  }
}

function outputTypeOf(body: Members): string | undefined {
  if (listOf(body.modalities).includes('audio')) return GEN_AI_OUTPUT_TYPE_VALUE_SPEECH;
  return formatType(body.response_format) ?? formatType(membersOf(body.text).format);
}

function stopSequences(stop: unknown): string[] | undefined {
  const sequences = (Array.isArray(stop) ? stop : [stop]).filter((item) => typeof item === 'string');
  return sequences.length === 0 ? undefined : sequences;
}

function unless<Value>(value: Value | undefined, usual: Value): Value | undefined {
  return value === usual ? undefined : value;
}

function samplingAttributes(body: Members): SparseAttributes {
  const tokensMax = body.max_completion_tokens ?? body.max_output_tokens ?? body.max_tokens;
  const level = body.reasoning_effort ?? membersOf(body.reasoning).effort;
  return {
    [ATTR_GEN_AI_REQUEST_TEMPERATURE]: numberOf(body.temperature),
    [ATTR_GEN_AI_REQUEST_TOP_P]: numberOf(body.top_p),
    [ATTR_GEN_AI_REQUEST_MAX_TOKENS]: numberOf(tokensMax),
    [ATTR_GEN_AI_REQUEST_SEED]: numberOf(body.seed),
    [ATTR_GEN_AI_REQUEST_STOP_SEQUENCES]: stopSequences(body.stop),
    [ATTR_GEN_AI_REQUEST_FREQUENCY_PENALTY]: numberOf(body.frequency_penalty),
    [ATTR_GEN_AI_REQUEST_PRESENCE_PENALTY]: numberOf(body.presence_penalty),
    [ATTR_GEN_AI_REQUEST_CHOICE_COUNT]: unless(numberOf(body.n), 1),
    [ATTR_GEN_AI_REQUEST_REASONING_LEVEL]: stringOf(level),
  };
}

/** What every exporter may see of a request: names, the model, sampling parameters, the server. */
export function requestAttributes({ endpoint, provider, server }: CallIdentity, request: unknown): Attributes {
  const body = membersOf(request);
  const encoding = endpoint === 'embeddings' ? stringOf(body.encoding_format) : undefined;
  return definedAttributes({
    [ATTR_GEN_AI_OPERATION_NAME]: operationOf(endpoint),
    [ATTR_GEN_AI_PROVIDER_NAME]: provider,
    [ATTR_GEN_AI_REQUEST_MODEL]: stringOf(body.model),
    [ATTR_OPENAI_API_TYPE]: apiTypeOf(endpoint),
    ...(endpoint === 'embeddings' ? {} : samplingAttributes(body)),
    [ATTR_GEN_AI_REQUEST_STREAM]: body.stream === true ? true : undefined,
    [ATTR_GEN_AI_REQUEST_PREVIOUS_RESPONSE_ID]: stringOf(body.previous_response_id),
    [ATTR_GEN_AI_OUTPUT_TYPE]: endpoint === 'embeddings' ? undefined : outputTypeOf(body),
    [ATTR_GEN_AI_REQUEST_ENCODING_FORMATS]: encoding === undefined ? undefined : [encoding],
    [ATTR_GEN_AI_EMBEDDINGS_DIMENSION_COUNT]: numberOf(body.dimensions),
    [ATTR_OPENAI_REQUEST_SERVICE_TIER]: unless(stringOf(body.service_tier), OPENAI_REQUEST_SERVICE_TIER_VALUE_AUTO),
    [ATTR_SERVER_ADDRESS]: server?.address,
    [ATTR_SERVER_PORT]: server?.port,
  });
}

function inputMessagesOf(endpoint: ModelEndpoint, body: Members): unknown[] | undefined {
  switch (endpoint) {
    case 'chat':
      return body.messages === undefined ? undefined : chatInputMessages(body.messages);
    case 'responses':
      return body.input === undefined ? undefined : responsesInputMessages(body.input);
    case 'embeddings':
      return undefined;
  }
}

function jsonText(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

/** What only the recording holds of a request: messages, instructions, tools, each as JSON text. */
export function requestContent(endpoint: ModelEndpoint, request: unknown): Attributes {
  const body = membersOf(request);
  const { instructions } = body;
  return definedAttributes({
    [ATTR_GEN_AI_INPUT_MESSAGES]: jsonText(inputMessagesOf(endpoint, body)),
    [ATTR_GEN_AI_SYSTEM_INSTRUCTIONS]:
      typeof instructions === 'string' ? jsonText(contentParts(instructions)) : undefined,
    [ATTR_GEN_AI_TOOL_DEFINITIONS]: jsonText(toolDefinitions(body)),
  });
}

/** Both halves. Throws whatever a strange request makes it throw; the caller guards it. */
export function requestView(identity: CallIdentity, request: unknown): SemconvView {
  return { slim: requestAttributes(identity, request), content: requestContent(identity.endpoint, request) };
}
