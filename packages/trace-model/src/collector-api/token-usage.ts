import { z } from 'zod';
import { unsummarisedShape } from './unsummarised-runs.ts';

const tokens = z.number().int().nonnegative();

/** What the calls of one model used. */
export const modelUsageSchema = z.object({
  model: z.string().optional().describe('The model that answered, else the one asked for.'),
  provider: z.string().optional(),
  calls: z.number().int().positive(),
  inputTokens: tokens.describe('All input tokens, cached ones included.'),
  outputTokens: tokens,
  cacheReadTokens: tokens.optional().describe('Of the input tokens, those read from a cache.'),
  cacheWriteTokens: tokens.optional().describe('Of the input tokens, those written to a cache.'),
});

/** What the calls of one model used. */
export type ModelUsage = z.infer<typeof modelUsageSchema>;

/** What usage costs by the price table of the collector's configuration; without a table there is no cost. */
export const costSchema = z.object({
  amount: z.number().nonnegative().describe('Of the models that have a price.'),
  currency: z.string(),
  unpricedModels: z
    .array(z.string())
    .optional()
    .describe('Models without a price, whose tokens are not in the amount.'),
});

/** What usage costs by the price table of the collector's configuration. */
export type Cost = z.infer<typeof costSchema>;

/** Answer of `GET /api/v1/usage`. */
export const usageAnswerSchema = z.object({
  runs: z.number().int().nonnegative().describe('How many runs these are the sums of.'),
  inputTokens: tokens,
  outputTokens: tokens,
  models: z.array(modelUsageSchema).describe('By model and provider, most tokens first.'),
  cost: costSchema.optional(),
  ...unsummarisedShape,
});

/** Answer of `GET /api/v1/usage`. */
export type UsageAnswer = z.infer<typeof usageAnswerSchema>;
