import { fromMap, type PlainValue } from '@reenact/otlp';
import {
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_PROVIDER_NAME,
  ATTR_GEN_AI_REQUEST_MODEL,
  ATTR_GEN_AI_RESPONSE_MODEL,
  ATTR_GEN_AI_SYSTEM,
  ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_COMPLETION_TOKENS,
  ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
  ATTR_GEN_AI_USAGE_PROMPT_TOKENS,
} from '@reenact/semconv/gen-ai';
import { ATTR_REENACT_MODE } from '@reenact/semconv/reenact';
import { expect, it } from 'vitest';
import { readSpans } from '../traces/read-span.ts';
import { modelUsage } from './model-usage.ts';

/** Calls of models that stand side by side in one run, each by what its span says. */
function usageOfCalls(...calls: readonly Readonly<Record<string, PlainValue>>[]): ReturnType<typeof modelUsage> {
  const spans = calls.map((said, index) => ({
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    spanId: `00000000000000a${index}`,
    name: 'call',
    startTimeUnixNano: `${1000 + index}`,
    endTimeUnixNano: `${1500 + index}`,
    attributes: fromMap(Object.entries({ [ATTR_GEN_AI_OPERATION_NAME]: 'chat', ...said })),
  }));
  return modelUsage(readSpans({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
}

const tokens = (input: number, output: number) => ({
  [ATTR_GEN_AI_USAGE_INPUT_TOKENS]: input,
  [ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: output,
});
const cached = (read: number, written: number) => ({
  [ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS]: read,
  [ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS]: written,
});
const of = (provider: string, model: string) => ({
  [ATTR_GEN_AI_PROVIDER_NAME]: provider,
  [ATTR_GEN_AI_RESPONSE_MODEL]: model,
});

it('is summed up by model and provider, cached tokens included, in the order in which they were called first', () => {
  const usage = usageOfCalls(
    { ...of('acme', 'large'), ...tokens(10, 1), ...cached(3, 2) },
    { ...of('other', 'large'), ...tokens(100, 7) },
    { ...of('acme', 'large'), ...tokens(20, 2), ...cached(4, 5) },
    { ...of('acme', 'small'), ...tokens(5, 5), ...cached(0, 0) },
  );
  const summed = { calls: 2, inputTokens: 30, outputTokens: 3, cacheReadTokens: 7, cacheWriteTokens: 7 };
  expect(usage).toEqual([
    { provider: 'acme', model: 'large', ...summed },
    { provider: 'other', model: 'large', calls: 1, inputTokens: 100, outputTokens: 7 },
    { provider: 'acme', model: 'small', calls: 1, inputTokens: 5, outputTokens: 5 },
  ]);
});

it('is of the model that answered, else of the one that was asked, by either name of each count, and never less than nothing', () => {
  expect(
    usageOfCalls(
      {
        [ATTR_GEN_AI_REQUEST_MODEL]: 'large',
        [ATTR_GEN_AI_RESPONSE_MODEL]: 'large-7',
        [ATTR_GEN_AI_PROVIDER_NAME]: 'acme',
      },
      { [ATTR_GEN_AI_REQUEST_MODEL]: 'small', [ATTR_GEN_AI_SYSTEM]: 'acme', [ATTR_GEN_AI_USAGE_PROMPT_TOKENS]: 8 },
      { [ATTR_GEN_AI_REQUEST_MODEL]: 'small', [ATTR_GEN_AI_SYSTEM]: 'acme', [ATTR_GEN_AI_USAGE_COMPLETION_TOKENS]: 9 },
      {
        [ATTR_GEN_AI_REQUEST_MODEL]: 'odd',
        [ATTR_GEN_AI_USAGE_INPUT_TOKENS]: -4,
        [ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: 2.5,
      },
    ),
  ).toEqual([
    { provider: 'acme', model: 'large-7', calls: 1, inputTokens: 0, outputTokens: 0 },
    { provider: 'acme', model: 'small', calls: 2, inputTokens: 8, outputTokens: 9 },
    { model: 'odd', calls: 1, inputTokens: 0, outputTokens: 0 },
  ]);
});

it('is of a replay, or of a fork, what was asked for in it, and not what it was served', () => {
  const answered = (mode: string): Readonly<Record<string, PlainValue>> => ({
    ...of('acme', 'large'),
    ...tokens(10, 1),
    [ATTR_REENACT_MODE]: mode,
  });
  const usage = usageOfCalls(answered('stub'), answered('live'), answered('refused'));
  expect(usage).toEqual([{ provider: 'acme', model: 'large', calls: 1, inputTokens: 10, outputTokens: 1 }]);
});
