import type { Crossing, ReconstructedMessage, ReconstructedOutput } from '@reenact/trace-model';

/** A tool call as OpenAI's chat API writes it. */
export interface ChatToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** The assistant's message of one choice. */
export interface ChatMessage {
  readonly role: 'assistant';
  readonly content: string | null;
  readonly refusal: string | null;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly ChatToolCall[];
}

/** One choice of a completion. */
export interface ChatChoice {
  readonly index: number;
  readonly message: ChatMessage;
  readonly logprobs: null;
  readonly finish_reason: string;
}

/** The members that a completion and each of its chunks share. */
export interface ChatHead {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  readonly system_fingerprint?: string;
  readonly service_tier?: string;
}

type Part = ReconstructedMessage['parts'][number];

function textOf(parts: readonly Part[], type: string): string | null {
  const texts = parts.filter((part) => part.type === type).map(({ content }) => String(content ?? ''));
  return texts.length === 0 ? null : texts.join('');
}

/** Instrumentations that parse arguments lose how they were written; what they mean is kept. */
function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '{}' : JSON.stringify(value);
}

function toolCalls(parts: readonly Part[], spanId: string): ChatToolCall[] {
  return parts
    .filter(({ type }) => type === 'tool_call')
    .map((part, index) => ({
      id: typeof part.id === 'string' && part.id !== '' ? part.id : `call_${spanId}_${index}`,
      type: 'function',
      function: { name: String(part.name ?? ''), arguments: argumentsText(part.arguments) },
    }));
}

/** OpenAI's word for the convention's; a word it shares, or one nobody maps, is kept. */
function finishReason(reason: string | undefined, hasCalls: boolean): string {
  if (reason === undefined) return hasCalls ? 'tool_calls' : 'stop';
  return reason === 'tool_call' ? 'tool_calls' : reason;
}

function choiceOf({ parts, finish_reason: reason }: ReconstructedMessage, index: number, spanId: string): ChatChoice {
  const calls = toolCalls(parts, spanId);
  const reasoning = textOf(parts, 'reasoning');
  return {
    index,
    message: {
      role: 'assistant',
      content: textOf(parts, 'text'),
      refusal: textOf(parts, 'refusal'),
      ...(reasoning === null ? {} : { reasoning_content: reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
    logprobs: null,
    finish_reason: finishReason(reason, calls.length > 0),
  };
}

/** The choices of a reconstructed answer. */
export function chatChoices(output: ReconstructedOutput, { spanId }: Crossing): ChatChoice[] {
  return output.messages.map((message, index) => choiceOf(message, index, spanId));
}

/** What stands at the top of a reconstructed answer; what was not recorded is made up from the span, always the same. */
export function chatHead(output: ReconstructedOutput, { spanId, startTimeUnixNano }: Crossing): ChatHead {
  return {
    id: output.id ?? `chatcmpl-${spanId}`,
    created: Number(startTimeUnixNano / 1_000_000_000n),
    model: output.model ?? 'unknown',
    ...(output.systemFingerprint === undefined ? {} : { system_fingerprint: output.systemFingerprint }),
    ...(output.serviceTier === undefined ? {} : { service_tier: output.serviceTier }),
  };
}

/** The token counts of a reconstructed answer; undefined where none were recorded. */
export function chatUsage(output: ReconstructedOutput): Record<string, unknown> | undefined {
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = output;
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return {
    prompt_tokens: inputTokens ?? 0,
    completion_tokens: outputTokens ?? 0,
    total_tokens: (inputTokens ?? 0) + (outputTokens ?? 0),
    ...(cachedInputTokens === undefined ? {} : { prompt_tokens_details: { cached_tokens: cachedInputTokens } }),
    ...(reasoningTokens === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
  };
}

/** A chat completion put together from what GenAI attributes say. */
export function chatCompletion(output: ReconstructedOutput, crossing: Crossing): Record<string, unknown> {
  const usage = chatUsage(output);
  return {
    ...chatHead(output, crossing),
    object: 'chat.completion',
    choices: chatChoices(output, crossing),
    ...(usage === undefined ? {} : { usage }),
  };
}
