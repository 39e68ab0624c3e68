import type { PlainValue } from '@reenact/otlp';
import {
  ATTR_GEN_AI_OPENAI_REQUEST_RESPONSE_FORMAT,
  ATTR_GEN_AI_OPENAI_REQUEST_SEED,
  ATTR_GEN_AI_OPENAI_RESPONSE_SERVICE_TIER,
  ATTR_GEN_AI_OPENAI_RESPONSE_SYSTEM_FINGERPRINT,
  ATTR_GEN_AI_OUTPUT_TYPE,
  ATTR_GEN_AI_REQUEST_CHOICE_COUNT,
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
  ATTR_GEN_AI_RESPONSE_FINISH_REASONS,
  ATTR_GEN_AI_RESPONSE_ID,
  ATTR_GEN_AI_RESPONSE_MODEL,
  ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_COMPLETION_TOKENS,
  ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
  ATTR_GEN_AI_USAGE_PROMPT_TOKENS,
  ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS,
  ATTR_OPENAI_RESPONSE_SERVICE_TIER,
  ATTR_OPENAI_RESPONSE_SYSTEM_FINGERPRINT,
} from '@reenact/semconv/gen-ai';
import {
  type Crossing,
  finishReason,
  type GenAiMessage,
  isTree,
  payloadOfTree,
  type ReconstructedOutput,
  semconvMessagesPolicy,
} from '@reenact/trace-model';
import type { Attributes } from '../attributes.ts';
import { parsedJson } from '../translation.ts';
import type { GenAiContent } from './genai-content.ts';

/** What reconstruction gives a crossing. */
export type Reconstruction = Required<Pick<Crossing, 'input' | 'reconstructed'>> &
  Pick<Crossing, 'outcome' | 'canonicalPolicy' | 'call'>;

/** Request members by the attributes that hold them, newest name first. */
const requestMembers: readonly (readonly [member: string, keys: readonly string[]])[] = [
  ['model', [ATTR_GEN_AI_REQUEST_MODEL]],
  ['temperature', [ATTR_GEN_AI_REQUEST_TEMPERATURE]],
  ['top_p', [ATTR_GEN_AI_REQUEST_TOP_P]],
  ['top_k', [ATTR_GEN_AI_REQUEST_TOP_K]],
  ['max_tokens', [ATTR_GEN_AI_REQUEST_MAX_TOKENS]],
  ['stop', [ATTR_GEN_AI_REQUEST_STOP_SEQUENCES]],
  ['seed', [ATTR_GEN_AI_REQUEST_SEED, ATTR_GEN_AI_OPENAI_REQUEST_SEED]],
  ['n', [ATTR_GEN_AI_REQUEST_CHOICE_COUNT]],
  ['frequency_penalty', [ATTR_GEN_AI_REQUEST_FREQUENCY_PENALTY]],
  ['presence_penalty', [ATTR_GEN_AI_REQUEST_PRESENCE_PENALTY]],
  ['output_type', [ATTR_GEN_AI_OUTPUT_TYPE]],
  ['response_format', [ATTR_GEN_AI_OPENAI_REQUEST_RESPONSE_FORMAT]],
  ['stream', [ATTR_GEN_AI_REQUEST_STREAM]],
];

function first(attributes: Attributes, ...keys: readonly string[]): PlainValue | undefined {
  const key = keys.find((name) => attributes.has(name) && attributes.get(name) !== null);
  return key === undefined ? undefined : attributes.get(key);
}

function textOf(attributes: Attributes, ...keys: readonly string[]): string | undefined {
  const value = first(attributes, ...keys);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function numberOf(attributes: Attributes, ...keys: readonly string[]): number | undefined {
  const value = Number(first(attributes, ...keys) ?? Number.NaN);
  return Number.isFinite(value) ? value : undefined;
}

function finishReasons(attributes: Attributes): readonly string[] {
  const value = attributes.get(ATTR_GEN_AI_RESPONSE_FINISH_REASONS);
  // Some write the list as JSON.
  const listed: unknown = typeof value === 'string' && value.startsWith('[') ? parsedJson(value) : value;
  if (Array.isArray(listed)) return listed.filter((reason) => typeof reason === 'string');
  if (typeof value !== 'string') return [];
  return value.split(',').map((reason) => reason.trim());
}

/** A conforming instrumentation may leave out what tools take; then only their names can be compared. */
function toolsMember(tools: readonly unknown[]): 'tools' | 'tool_names' {
  const described = tools.some((tool) => isTree(tool) && (isTree(tool.parameters) || isTree(tool.function)));
  return described ? 'tools' : 'tool_names';
}

function requestOf(attributes: Attributes, { input, tools }: GenAiContent): [Record<string, unknown>, string[]] {
  const entries = requestMembers.flatMap(([member, keys]): [string, unknown][] => {
    const value = first(attributes, ...keys);
    return value === undefined ? [] : [[member, value]];
  });
  const members = entries.map(([member]) => (member === 'response_format' ? 'output_type' : member));
  const request = { ...Object.fromEntries(entries), messages: input };
  if (tools === undefined) return [request, [...members, 'messages']];
  return [{ ...request, tools }, [...members, 'messages', toolsMember(tools)]];
}

function definedMembers(members: Record<string, string | number | undefined>): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(members).filter((entry): entry is [string, string | number] => entry[1] !== undefined),
  );
}

function outputOf(attributes: Attributes, messages: readonly GenAiMessage[]): ReconstructedOutput {
  const reasons = finishReasons(attributes);
  return {
    messages: messages.map(({ parts, finish_reason: own }, index) => {
      const reason = own ?? reasons[index];
      return { role: 'assistant', parts: [...parts], ...(reason === undefined ? {} : { finish_reason: reason }) };
    }),
    ...definedMembers({
      id: textOf(attributes, ATTR_GEN_AI_RESPONSE_ID),
      model: textOf(attributes, ATTR_GEN_AI_RESPONSE_MODEL, ATTR_GEN_AI_REQUEST_MODEL),
      systemFingerprint: textOf(
        attributes,
        ATTR_OPENAI_RESPONSE_SYSTEM_FINGERPRINT,
        ATTR_GEN_AI_OPENAI_RESPONSE_SYSTEM_FINGERPRINT,
      ),
      serviceTier: textOf(attributes, ATTR_OPENAI_RESPONSE_SERVICE_TIER, ATTR_GEN_AI_OPENAI_RESPONSE_SERVICE_TIER),
      inputTokens: numberOf(attributes, ATTR_GEN_AI_USAGE_INPUT_TOKENS, ATTR_GEN_AI_USAGE_PROMPT_TOKENS),
      outputTokens: numberOf(attributes, ATTR_GEN_AI_USAGE_OUTPUT_TOKENS, ATTR_GEN_AI_USAGE_COMPLETION_TOKENS),
      cachedInputTokens: numberOf(attributes, ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS),
      reasoningTokens: numberOf(attributes, ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS),
    }),
  };
}

/** Why an answer is known not to be all that was answered, in a few words; undefined where nothing is known to be missing. */
export function lackOfAnswer(attributes: Attributes, { output }: GenAiContent): string | undefined {
  const reasons = finishReasons(attributes);
  const lacksCall = output?.some(({ parts, finish_reason: own }, index) => {
    const reason = own ?? reasons[index];
    return reason !== undefined && finishReason(reason) === 'tool_call' && !parts.some(({ type }) => /call/.test(type));
  });
  return lacksCall === true ? 'it ended with the call of a tool, and which is not said' : undefined;
}

/**
 * Rebuilds input and outcome of a model call from what its span says, where both sides of the conversation are there;
 * undefined otherwise. The call shape is that of a wire exchange that was not recorded, so that no in-process replay
 * takes the rebuilt answer for what the client library once read.
 */
export function reconstruct(attributes: Attributes, content: GenAiContent): Reconstruction | undefined {
  const { input, output } = content;
  if (input === undefined || output === undefined || input.length === 0 || output.length === 0) return undefined;
  const [request, members] = requestOf(attributes, content);
  return {
    input: payloadOfTree(request),
    outcome: { type: 'returned', value: payloadOfTree(outputOf(attributes, output)) },
    canonicalPolicy: semconvMessagesPolicy(members).name,
    call: 'exchange',
    reconstructed: true,
  };
}

/**
 * What is known of a model call of which one side is missing, for people: without the other nothing can be replayed. Nothing is known of the
 * answer of a call that failed.
 */
export function knownSide(
  attributes: Attributes,
  content: GenAiContent,
  hasEnded: boolean,
): Partial<Pick<Crossing, 'input' | 'outcome' | 'canonicalPolicy' | 'call'>> {
  const { input, output } = content;
  if (input !== undefined && input.length > 0) {
    const [request, members] = requestOf(attributes, content);
    return { input: payloadOfTree(request), canonicalPolicy: semconvMessagesPolicy(members).name };
  }
  if (!hasEnded || output === undefined || output.length === 0) return {};
  const value = payloadOfTree(outputOf(attributes, output));
  return { outcome: { type: 'returned', value }, call: 'exchange' };
}
