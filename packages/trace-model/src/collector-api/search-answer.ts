import { z } from 'zod';
import { runSummarySchema } from './run-summary.ts';
import { unsummarisedShape } from './unsummarised-runs.ts';

/** Where in a crossing a text was found. */
export const TEXT_PARTS = ['input', 'output', 'error'] as const;

/** Where in a crossing a text was found. */
export type TextPart = (typeof TEXT_PARTS)[number];

/** Answer of `GET /api/v1/search`: runs, newest first, with where the words are. */
export const searchAnswerSchema = z.object({
  found: z.array(
    z.object({
      run: runSummarySchema,
      hits: z.array(
        z.object({
          spanId: z.string(),
          part: z.enum(TEXT_PARTS),
          snippet: z.array(z.object({ text: z.string(), isMatch: z.boolean() })).describe('Pieces in order.'),
        }),
      ),
    }),
  ),
  nextCursor: z.string().optional(),
  ...unsummarisedShape,
});

/** Answer of `GET /api/v1/search`. */
export type SearchAnswer = z.infer<typeof searchAnswerSchema>;

/** One run that was found, with where. */
export type FoundRun = SearchAnswer['found'][number];
