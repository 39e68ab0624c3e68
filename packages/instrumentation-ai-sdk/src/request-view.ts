import type { Attributes } from '@opentelemetry/api';
import {
  definedAttributes,
  guarded,
  listOf,
  type Members,
  membersOf,
  numberOf,
  type SpanStart,
  stringOf,
} from '@reenact/instrumentation';
import {
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_OUTPUT_TYPE,
  ATTR_GEN_AI_PROVIDER_NAME,
  ATTR_GEN_AI_REQUEST_FREQUENCY_PENALTY,
  ATTR_GEN_AI_REQUEST_MAX_TOKENS,
  ATTR_GEN_AI_REQUEST_MODEL,
  ATTR_GEN_AI_REQUEST_PRESENCE_PENALTY,
  ATTR_GEN_AI_REQUEST_SEED,
  ATTR_GEN_AI_REQUEST_STOP_SEQUENCES,
  ATTR_GEN_AI_REQUEST_STREAM,
  ATTR_GEN_AI_REQUEST_TEMPERATURE,
  ATTR_GEN_AI_REQUEST_TOP_K,
  ATTR_GEN_AI_REQUEST_TOP_P,
  ATTR_GEN_AI_TOOL_DEFINITIONS,
  GEN_AI_OPERATION_NAME_VALUE_CHAT,
  GEN_AI_OPERATION_NAME_VALUE_EMBEDDINGS,
  GEN_AI_OPERATION_NAME_VALUE_GENERATE_CONTENT,
  GEN_AI_OUTPUT_TYPE_VALUE_JSON,
  GEN_AI_OUTPUT_TYPE_VALUE_TEXT,
} from '@reenact/semconv/gen-ai';
import type { ModelRequest } from './internal-types.ts';
import { INPUT_PARTS_VIEWED_MAX } from './limits.ts';
import { inputMessages } from './messages-view.ts';
import { providerName } from './provider-name.ts';

/** The convention's operation of a call: language models chat, and what is neither that nor an embedding generates content. */
function operationOf({ method, options }: ModelRequest): string {
  if (method === 'doEmbed') return GEN_AI_OPERATION_NAME_VALUE_EMBEDDINGS;
  return Array.isArray(options.prompt)
    ? GEN_AI_OPERATION_NAME_VALUE_CHAT
    : GEN_AI_OPERATION_NAME_VALUE_GENERATE_CONTENT;
}

function outputTypeOf(format: unknown): string | undefined {
  switch (membersOf(format).type) {
    case 'json':
      return GEN_AI_OUTPUT_TYPE_VALUE_JSON;
    case 'text':
      return GEN_AI_OUTPUT_TYPE_VALUE_TEXT;
    default:
      return undefined;
  }
}

function slimAttributes(request: ModelRequest): Attributes {
  const { model, method, options } = request;
  const stop = listOf(options.stopSequences).filter((item) => typeof item === 'string');
  return definedAttributes({
    [ATTR_GEN_AI_OPERATION_NAME]: operationOf(request),
    [ATTR_GEN_AI_PROVIDER_NAME]: providerName(model.provider),
    [ATTR_GEN_AI_REQUEST_MODEL]: model.modelId,
    [ATTR_GEN_AI_REQUEST_TEMPERATURE]: numberOf(options.temperature),
    [ATTR_GEN_AI_REQUEST_TOP_P]: numberOf(options.topP),
    [ATTR_GEN_AI_REQUEST_TOP_K]: numberOf(options.topK),
    [ATTR_GEN_AI_REQUEST_MAX_TOKENS]: numberOf(options.maxOutputTokens),
    [ATTR_GEN_AI_REQUEST_SEED]: numberOf(options.seed),
    [ATTR_GEN_AI_REQUEST_STOP_SEQUENCES]: stop.length === 0 ? undefined : stop,
    [ATTR_GEN_AI_REQUEST_FREQUENCY_PENALTY]: numberOf(options.frequencyPenalty),
    [ATTR_GEN_AI_REQUEST_PRESENCE_PENALTY]: numberOf(options.presencePenalty),
    [ATTR_GEN_AI_REQUEST_STREAM]: method === 'doStream' ? true : undefined,
    [ATTR_GEN_AI_OUTPUT_TYPE]: outputTypeOf(options.responseFormat),
  });
}

function toolDefinition(value: unknown): Members {
  const { type, name, description, inputSchema } = membersOf(value);
  return {
    type: stringOf(type) ?? 'function',
    name: stringOf(name) ?? '',
    ...(typeof description === 'string' ? { description } : {}),
    ...(inputSchema === undefined ? {} : { parameters: inputSchema }),
  };
}

function contentAttributes({ prompt, tools }: Members): Attributes {
  const isReadable = Array.isArray(prompt) && prompt.length <= INPUT_PARTS_VIEWED_MAX;
  return definedAttributes({
    [ATTR_GEN_AI_INPUT_MESSAGES]: isReadable ? JSON.stringify(inputMessages(prompt)) : undefined,
    [ATTR_GEN_AI_TOOL_DEFINITIONS]: Array.isArray(tools) ? JSON.stringify(tools.map(toolDefinition)) : undefined,
  });
}

/** How the span of a call of a model starts. */
export function requestSpan(request: ModelRequest): SpanStart {
  return {
    name: `${operationOf(request)} ${request.model.modelId}`,
    kind: 'client',
    slim: guarded('describing a call of a model', () => slimAttributes(request), {}),
    content: guarded('describing messages', () => contentAttributes(request.options), {}),
  };
}
