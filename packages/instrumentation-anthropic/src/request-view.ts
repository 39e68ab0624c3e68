import type { Attributes } from '@opentelemetry/api';
import { definedAttributes, listOf, membersOf, numberOf, type ServerAddress, stringOf } from '@reenact/instrumentation';
import { ATTR_SERVER_ADDRESS, ATTR_SERVER_PORT } from '@reenact/semconv/core';
import {
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_OUTPUT_TYPE,
  ATTR_GEN_AI_PROVIDER_NAME,
  ATTR_GEN_AI_REQUEST_MAX_TOKENS,
  ATTR_GEN_AI_REQUEST_MODEL,
  ATTR_GEN_AI_REQUEST_REASONING_LEVEL,
  ATTR_GEN_AI_REQUEST_STOP_SEQUENCES,
  ATTR_GEN_AI_REQUEST_STREAM,
  ATTR_GEN_AI_REQUEST_TEMPERATURE,
  ATTR_GEN_AI_REQUEST_TOP_K,
  ATTR_GEN_AI_REQUEST_TOP_P,
  ATTR_GEN_AI_SYSTEM_INSTRUCTIONS,
  ATTR_GEN_AI_TOOL_DEFINITIONS,
  GEN_AI_OPERATION_NAME_VALUE_CHAT,
  GEN_AI_OUTPUT_TYPE_VALUE_JSON,
} from '@reenact/semconv/gen-ai';
import { messageParts } from './message-part.ts';
import { inputMessages } from './messages-view.ts';
import { toolDefinitions } from './tool-definitions-view.ts';

/** What is known of a call without looking into its request. */
export interface CallIdentity {
  readonly provider: string;
  readonly server: ServerAddress | undefined;
}

function stopSequences(value: unknown): string[] | undefined {
  const sequences = listOf(value).filter((item) => typeof item === 'string');
  return sequences.length === 0 ? undefined : sequences;
}

/** What every exporter may see of a request: names, the model, sampling parameters, the server. */
export function requestAttributes({ provider, server }: CallIdentity, request: unknown): Attributes {
  const body = membersOf(request);
  const outputConfig = membersOf(body.output_config);
  const format = outputConfig.format ?? body.output_format;
  return definedAttributes({
    [ATTR_GEN_AI_OPERATION_NAME]: GEN_AI_OPERATION_NAME_VALUE_CHAT,
    [ATTR_GEN_AI_PROVIDER_NAME]: provider,
    [ATTR_GEN_AI_REQUEST_MODEL]: stringOf(body.model),
    [ATTR_GEN_AI_REQUEST_MAX_TOKENS]: numberOf(body.max_tokens),
    [ATTR_GEN_AI_REQUEST_TEMPERATURE]: numberOf(body.temperature),
    [ATTR_GEN_AI_REQUEST_TOP_P]: numberOf(body.top_p),
    [ATTR_GEN_AI_REQUEST_TOP_K]: numberOf(body.top_k),
    [ATTR_GEN_AI_REQUEST_STOP_SEQUENCES]: stopSequences(body.stop_sequences),
    [ATTR_GEN_AI_REQUEST_STREAM]: body.stream === true ? true : undefined,
    [ATTR_GEN_AI_REQUEST_REASONING_LEVEL]: stringOf(outputConfig.effort),
    [ATTR_GEN_AI_OUTPUT_TYPE]: membersOf(format).type === 'json_schema' ? GEN_AI_OUTPUT_TYPE_VALUE_JSON : undefined,
    [ATTR_SERVER_ADDRESS]: server?.address,
    [ATTR_SERVER_PORT]: server?.port,
  });
}

function jsonText(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

/** What only the recording holds of a request: messages, instructions, tools, each as JSON text. */
export function requestContent(request: unknown): Attributes {
  const { messages, system, tools } = membersOf(request);
  return definedAttributes({
    [ATTR_GEN_AI_INPUT_MESSAGES]: messages === undefined ? undefined : jsonText(inputMessages(messages)),
    [ATTR_GEN_AI_SYSTEM_INSTRUCTIONS]:
      system === undefined || system === null ? undefined : jsonText(messageParts(system)),
    [ATTR_GEN_AI_TOOL_DEFINITIONS]: jsonText(toolDefinitions(tools)),
  });
}
