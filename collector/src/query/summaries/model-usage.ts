import { type ModelCall, repeatedCalls } from '@reenact/dialects';
import type { PlainValue } from '@reenact/otlp';
import {
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_PROVIDER_NAME,
  ATTR_GEN_AI_REQUEST_MODEL,
  ATTR_GEN_AI_RESPONSE_ID,
  ATTR_GEN_AI_RESPONSE_MODEL,
  ATTR_GEN_AI_SYSTEM,
  ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_COMPLETION_TOKENS,
  ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
  ATTR_GEN_AI_USAGE_PROMPT_TOKENS,
  GEN_AI_OPERATION_NAME_VALUE_CHAT,
  GEN_AI_OPERATION_NAME_VALUE_EMBEDDINGS,
  GEN_AI_OPERATION_NAME_VALUE_GENERATE_CONTENT,
  GEN_AI_OPERATION_NAME_VALUE_TEXT_COMPLETION,
} from '@reenact/semconv/gen-ai';
import { ATTR_REENACT_MODE } from '@reenact/semconv/reenact';
import type { ModelUsage } from '@reenact/trace-model/collector-api';
import { type ReadSpan, textOf } from '../traces/read-span.ts';

const INFERENCES: ReadonlySet<PlainValue> = new Set([
  GEN_AI_OPERATION_NAME_VALUE_CHAT,
  GEN_AI_OPERATION_NAME_VALUE_EMBEDDINGS,
  GEN_AI_OPERATION_NAME_VALUE_GENERATE_CONTENT,
  GEN_AI_OPERATION_NAME_VALUE_TEXT_COMPLETION,
]);

/** The attributes that tell what model calls used. */
export const USAGE_KEYS: readonly string[] = [
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_PROVIDER_NAME,
  ATTR_GEN_AI_SYSTEM,
  ATTR_GEN_AI_REQUEST_MODEL,
  ATTR_GEN_AI_RESPONSE_ID,
  ATTR_GEN_AI_RESPONSE_MODEL,
  ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_PROMPT_TOKENS,
  ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
  ATTR_GEN_AI_USAGE_COMPLETION_TOKENS,
  ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS,
  ATTR_REENACT_MODE,
];

/** What tells one call of a model from another. */
function callOf({ span, scope, attributes }: ReadSpan): ModelCall {
  const [startTimeUnixNano, endTimeUnixNano] = [BigInt(span.startTimeUnixNano), BigInt(span.endTimeUnixNano)];
  return { spanId: span.spanId, scope, attributes, startTimeUnixNano, endTimeUnixNano };
}

/** Not in a replay that served the recorded answer, or let nobody be asked. */
function wasAsked({ attributes }: ReadSpan): boolean {
  const mode = attributes.get(ATTR_REENACT_MODE);
  return mode !== 'stub' && mode !== 'refused';
}

/** Inference spans with none below them, or beside them of the same call: an outer one repeats the tokens of the inner ones. */
function leafInferences(spans: readonly ReadSpan[]): ReadSpan[] {
  const inferences = spans.filter(({ attributes }) => INFERENCES.has(attributes.get(ATTR_GEN_AI_OPERATION_NAME) ?? ''));
  const parents = new Map(spans.map(({ span }) => [span.spanId, span.parentSpanId]));
  const outer = new Set<string>();
  for (const { span } of inferences) {
    let parent = span.parentSpanId;
    // Stopping at a span seen before keeps this linear, and ends on traces whose parents form a ring.
    while (parent !== undefined && !outer.has(parent)) {
      outer.add(parent);
      parent = parents.get(parent);
    }
  }
  const leaves = inferences.filter(({ span }) => !outer.has(span.spanId));
  const repeated = repeatedCalls(leaves.map(callOf));
  return leaves.filter((read) => !repeated.has(read.span.spanId) && wasAsked(read));
}

function tokensOf(attributes: ReadSpan['attributes'], ...keys: readonly string[]): number {
  const key = keys.find((candidate) => attributes.has(candidate));
  const tokens = Number(key === undefined ? 0 : attributes.get(key));
  return Number.isSafeInteger(tokens) && tokens > 0 ? tokens : 0;
}

/** What one call of a model used, by what its span says. */
export function usageOf({ attributes }: Pick<ReadSpan, 'attributes'>): ModelUsage {
  const model = textOf(attributes, ATTR_GEN_AI_RESPONSE_MODEL) ?? textOf(attributes, ATTR_GEN_AI_REQUEST_MODEL);
  const provider = textOf(attributes, ATTR_GEN_AI_PROVIDER_NAME) ?? textOf(attributes, ATTR_GEN_AI_SYSTEM);
  return {
    ...(model === undefined ? {} : { model }),
    ...(provider === undefined ? {} : { provider }),
    calls: 1,
    inputTokens: tokensOf(attributes, ATTR_GEN_AI_USAGE_INPUT_TOKENS, ATTR_GEN_AI_USAGE_PROMPT_TOKENS),
    outputTokens: tokensOf(attributes, ATTR_GEN_AI_USAGE_OUTPUT_TOKENS, ATTR_GEN_AI_USAGE_COMPLETION_TOKENS),
    cacheReadTokens: tokensOf(attributes, ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS),
    cacheWriteTokens: tokensOf(attributes, ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS),
  };
}

function add(left: ModelUsage, right: ModelUsage): ModelUsage {
  return {
    ...left,
    calls: left.calls + right.calls,
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    cacheReadTokens: (left.cacheReadTokens ?? 0) + (right.cacheReadTokens ?? 0),
    cacheWriteTokens: (left.cacheWriteTokens ?? 0) + (right.cacheWriteTokens ?? 0),
  };
}

function withoutZeros({ cacheReadTokens = 0, cacheWriteTokens = 0, ...usage }: ModelUsage): ModelUsage {
  return {
    ...usage,
    ...(cacheReadTokens === 0 ? {} : { cacheReadTokens }),
    ...(cacheWriteTokens === 0 ? {} : { cacheWriteTokens }),
  };
}

/** What the model calls of a run used, by model and provider, in their order of appearance. */
export function modelUsage(spans: readonly ReadSpan[]): ModelUsage[] {
  const sums = new Map<string, ModelUsage>();
  for (const usage of leafInferences(spans).map(usageOf)) {
    const key = JSON.stringify([usage.provider, usage.model]);
    const known = sums.get(key);
    sums.set(key, known === undefined ? usage : add(known, usage));
  }
  return [...sums.values()].map(withoutZeros);
}
