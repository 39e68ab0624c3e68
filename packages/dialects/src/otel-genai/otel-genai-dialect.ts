import type { Span } from '@reenact/otlp';
import { ATTR_ERROR_TYPE } from '@reenact/semconv/core';
import {
  ATTR_GEN_AI_AGENT_NAME,
  ATTR_GEN_AI_DATA_SOURCE_ID,
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_PROVIDER_NAME,
  ATTR_GEN_AI_REQUEST_MODEL,
  ATTR_GEN_AI_RESPONSE_MODEL,
  ATTR_GEN_AI_SYSTEM,
  ATTR_GEN_AI_TOOL_CALL_ARGUMENTS,
  ATTR_GEN_AI_TOOL_CALL_ID,
  ATTR_GEN_AI_TOOL_CALL_RESULT,
  ATTR_GEN_AI_TOOL_NAME,
  ATTR_MCP_METHOD_NAME,
} from '@reenact/semconv/gen-ai';
import { type BoundaryKind, CANONICAL_POLICIES, defaultEffect } from '@reenact/trace-model';
import type { Attributes } from '../attributes.ts';
import type { CrossingDraft, Dialect } from '../dialect.ts';
import { unixNano } from '../unix-nano.ts';
import { genAiContent } from './genai-content.ts';
import { knownSide, lackOfAnswer, reconstruct } from './reconstruct.ts';

const kindOfOperation: ReadonlyMap<string, BoundaryKind> = new Map([
  ['chat', 'model'],
  ['generate_content', 'model'],
  ['text_completion', 'model'],
  ['embeddings', 'embedding'],
  ['retrieval', 'retrieval'],
  // No word of the conventions yet, and one that several instrumentations use.
  ['rerank', 'retrieval'],
  ['execute_tool', 'tool'],
  ['invoke_agent', 'agent'],
  ['invoke_workflow', 'agent'],
  ['search_memory', 'memory'],
  ['create_memory', 'memory'],
  ['update_memory', 'memory'],
  ['upsert_memory', 'memory'],
  ['delete_memory', 'memory'],
]);

function text(attributes: Attributes, key: string): string | undefined {
  const value = attributes.get(key);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Values of the key before it was renamed that are written in another way since. */
const renamedProviders: ReadonlyMap<string, string> = new Map([
  ['az.ai.inference', 'azure.ai.inference'],
  ['az.ai.openai', 'azure.ai.openai'],
  ['vertex_ai', 'gcp.vertex_ai'],
  ['gemini', 'gcp.gemini'],
  ['xai', 'x_ai'],
]);

function providerOf(attributes: Attributes): string {
  const provider = text(attributes, ATTR_GEN_AI_PROVIDER_NAME) ?? text(attributes, ATTR_GEN_AI_SYSTEM) ?? 'unknown';
  return renamedProviders.get(provider) ?? provider;
}

function nameOf(kind: BoundaryKind, operation: string, attributes: Attributes, spanName: string): string {
  switch (kind) {
    case 'model':
    case 'embedding':
      return `${providerOf(attributes)}.${operation}`;
    case 'tool':
    case 'mcp':
      return text(attributes, ATTR_GEN_AI_TOOL_NAME) ?? spanName;
    case 'agent':
      return text(attributes, ATTR_GEN_AI_AGENT_NAME) ?? spanName;
    case 'retrieval':
      return text(attributes, ATTR_GEN_AI_DATA_SOURCE_ID) ?? spanName;
    default:
      return spanName;
  }
}

/** What is known of a model call. What is nested too deep to be written again counts as not captured. */
function rebuiltCall(span: Span, attributes: Attributes, hasEnded: boolean): Partial<CrossingDraft> | undefined {
  try {
    const content = genAiContent(span, attributes);
    if (!hasEnded) return knownSide(attributes, content, hasEnded);
    const answerLacks = lackOfAnswer(attributes, content);
    // An empty text in place of a call would be served as the answer.
    if (answerLacks !== undefined)
      return { ...knownSide(attributes, { ...content, output: undefined }, hasEnded), answerLacks };
    return reconstruct(attributes, content) ?? knownSide(attributes, content, hasEnded);
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

/** What a span must be that leaves out the name of its operation, which the conventions require, and says what passed. */
function impliedOperation(attributes: Attributes): string | undefined {
  const hasAny = (...keys: readonly string[]): boolean => keys.some((key) => attributes.has(key));
  if (hasAny(ATTR_GEN_AI_TOOL_CALL_ARGUMENTS, ATTR_GEN_AI_TOOL_CALL_RESULT))
    return attributes.has(ATTR_GEN_AI_TOOL_NAME) ? 'execute_tool' : undefined;
  if (!hasAny(ATTR_GEN_AI_INPUT_MESSAGES, ATTR_GEN_AI_OUTPUT_MESSAGES)) return undefined;
  if (hasAny(ATTR_GEN_AI_REQUEST_MODEL, ATTR_GEN_AI_RESPONSE_MODEL)) return 'chat';
  return attributes.has(ATTR_GEN_AI_AGENT_NAME) ? 'invoke_agent' : undefined;
}

/** Reads a span by what the conventions say of it. `dialect`: whose words it was written in. */
export function readGenAi(span: Span, attributes: Attributes, dialect: string): CrossingDraft | undefined {
  const operation = text(attributes, ATTR_GEN_AI_OPERATION_NAME) ?? impliedOperation(attributes);
  const isMcp = attributes.has(ATTR_MCP_METHOD_NAME);
  const kind = isMcp ? 'mcp' : kindOfOperation.get(operation ?? '');
  if (kind === undefined) return undefined;
  const toolCallId = text(attributes, ATTR_GEN_AI_TOOL_CALL_ID);
  // Not all set the status of what failed.
  const hasEnded = span.status?.code !== 2 && text(attributes, ATTR_ERROR_TYPE) === undefined;
  const rebuilt = kind === 'model' ? rebuiltCall(span, attributes, hasEnded) : undefined;
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    kind,
    name: nameOf(kind, operation ?? '', attributes, span.name),
    call: 'promise',
    effect: defaultEffect(kind),
    capture: 'none',
    canonicalPolicy: CANONICAL_POLICIES.arguments.name,
    exchanges: [],
    outcome: hasEnded ? { type: 'returned' } : { type: 'threw' },
    startTimeUnixNano: unixNano(span.startTimeUnixNano),
    endTimeUnixNano: unixNano(span.endTimeUnixNano),
    lossy: [],
    redacted: [],
    dialect,
    attributes,
    damage: [],
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...rebuilt,
  };
}

/**
 * Spans of any instrumentation that follows the OpenTelemetry GenAI conventions. They carry no exact payload; where their
 * content was captured, input and outcome of a model call are rebuilt from it and marked so.
 */
export const otelGenAiDialect: Dialect = {
  name: 'otel-genai',
  read: (span, attributes) => readGenAi(span, attributes, 'otel-genai'),
};
