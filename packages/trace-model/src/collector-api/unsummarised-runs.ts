import { z } from 'zod';

/** What an answer that is made of summaries says about those that are not there yet. */
export const unsummarisedShape = {
  unsummarisedRuns: z
    .number()
    .int()
    .positive()
    .optional()
    .describe(
      'How many runs are new or have changed and still wait for their summary, counted up to 100,000: the answer may lack them, or tell of them as they were; ask again. Absent where it has all that was stored before the question.',
    ),
};
