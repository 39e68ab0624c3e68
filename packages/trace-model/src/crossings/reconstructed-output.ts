import { z } from 'zod';

const partSchema = z.looseObject({ type: z.string() });

const messageSchema = z.object({
  role: z.string(),
  parts: z.array(partSchema),
  /** The convention's word: stop, length, content_filter, tool_call, error, or a provider's own. */
  finish_reason: z.string().optional(),
});

/** What is known of a model's answer from GenAI attributes: the value of a reconstructed outcome. */
export const reconstructedOutputSchema = z.object({
  id: z.string().optional(),
  model: z.string().optional(),
  systemFingerprint: z.string().optional(),
  serviceTier: z.string().optional(),
  /** One per choice, in order. */
  messages: z.array(messageSchema),
  inputTokens: z.number().optional(),
  outputTokens: z.number().optional(),
  cachedInputTokens: z.number().optional(),
  reasoningTokens: z.number().optional(),
});

/** What is known of a model's answer from GenAI attributes. */
export type ReconstructedOutput = z.infer<typeof reconstructedOutputSchema>;

/** One choice of a reconstructed answer. */
export type ReconstructedMessage = ReconstructedOutput['messages'][number];
