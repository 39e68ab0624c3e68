import { type Members, membersOf, numberOf, stringOf } from '@reenact/instrumentation';
import { eventStreamMessages } from './event-stream-messages.ts';
import { type AnswerBody, jsonOf, type ModelAnswer, sumOf } from './model-answer.ts';

const METRICS_KEY = 'amazon-bedrock-invocationMetrics';

function memberOf(bytes: Uint8Array): Members {
  return membersOf(jsonOf(Buffer.from(bytes).toString('utf8')));
}

/** Cached tokens are counted beside the input; the sum says whether they are. */
function inputOf(usage: Members, cached: number | undefined): number | undefined {
  const [input, output, total] = [usage.inputTokens, usage.outputTokens, usage.totalTokens].map(numberOf);
  if (input === undefined) return undefined;
  const isInside = total !== undefined && total === input + (output ?? 0);
  return isInside ? input : sumOf(input, cached);
}

function finished(reason: unknown): readonly string[] | undefined {
  const text = stringOf(reason);
  return text === undefined ? undefined : [text];
}

/** Reads what `Converse` answers, whole or as a stream of events. */
export function converseAnswer({ bytes, contentType }: AnswerBody): ModelAnswer {
  const isStreamed = contentType.includes('eventstream');
  const told: Members = isStreamed
    ? Object.assign({}, ...eventStreamMessages(bytes).map(({ payload }) => memberOf(payload)))
    : memberOf(bytes);
  const usage = membersOf(told.usage);
  const [cacheReadTokens, cacheWriteTokens] = [usage.cacheReadInputTokens, usage.cacheWriteInputTokens].map(numberOf);
  return {
    finishReasons: finished(told.stopReason),
    inputTokens: inputOf(usage, sumOf(cacheReadTokens, cacheWriteTokens)),
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: numberOf(usage.outputTokens),
  };
}

function countIn(header: string | undefined): number | undefined {
  return header !== undefined && /^\d+$/.test(header) ? Number(header) : undefined;
}

/** The counts that Bedrock itself puts behind the last part of what a model streams. */
function metricsOf(bytes: Buffer): Members {
  const parts = eventStreamMessages(bytes).map(({ payload }) => {
    const encoded = stringOf(memberOf(payload).bytes);
    return encoded === undefined ? {} : membersOf(memberOf(Buffer.from(encoded, 'base64'))[METRICS_KEY]);
  });
  return Object.assign({}, ...parts);
}

/** Reads what `InvokeModel` answers: the body is the model's own, so that what counts is what Bedrock says of it beside. */
export function invokeAnswer({ bytes, contentType, header }: AnswerBody): ModelAnswer {
  const metrics = contentType.includes('eventstream') ? metricsOf(bytes) : {};
  const count = (name: string, member: string): number | undefined =>
    countIn(header(`x-amzn-bedrock-${name}-token-count`)) ?? numberOf(metrics[member]);
  const cacheReadTokens = count('cache-read-input', 'cacheReadInputTokenCount');
  const cacheWriteTokens = count('cache-write-input', 'cacheWriteInputTokenCount');
  const input = count('input', 'inputTokenCount');
  return {
    inputTokens: input === undefined ? undefined : sumOf(input, cacheReadTokens, cacheWriteTokens),
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: count('output', 'outputTokenCount'),
  };
}
