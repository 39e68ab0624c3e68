import { z } from 'zod';

/** One span that a run failed in. */
const failedSpanSchema = z.object({
  spanId: z.string(),
  name: z.string().describe('`kind:name` of a crossing, or the name of a span that is none.'),
  error: z
    .string()
    .optional()
    .describe('The beginning of what it failed with, on one line; absent where it does not say.'),
  status: z.string().optional().describe('What its status says, where that is something else.'),
  input: z.string().optional().describe('Of a crossing: the beginning of what went in, on one line.'),
});

/** One span that a run failed in. */
export type ToldFailedSpan = z.infer<typeof failedSpanSchema>;

/** Which span made a run fail, and why. */
export const toldRunFailureSchema = failedSpanSchema.extend({
  inside: failedSpanSchema
    .optional()
    .describe('The last crossing that failed inside of it, where its error is its own.'),
});

/** Which span made a run fail, and why. */
export type ToldRunFailure = z.infer<typeof toldRunFailureSchema>;
